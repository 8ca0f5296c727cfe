/* SPDX-License-Identifier: MIT */
/* renew.c - fresh pages for a region that was touched. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "memory/memory.h"

/* A mapping of one's own; what others hold by an inherited one stays with them. */
static int renew_map(struct region *region, struct error *error)
{
	int ret;

	region_close(region);
	ret = region->ops->map(region->params, region->size_bytes, &region->mapping, error);
	if (ret)
		return ret;
	ret = place_apply(&region->place, &region->mapping, error);
	if (ret)
		region_close(region);
	return ret;
}

/* Shared pages have to leave the object that all mappings show, not this mapping alone. */
static int renew_drop(const struct region *region, struct error *error)
{
	int advice = region->ops->is_private ? MADV_DONTNEED : MADV_REMOVE;

	if (!madvise(region->mapping.address, region->mapping.bytes, advice))
		return 0;
	return error_set(error, errno == EINVAL || errno == EOPNOTSUPP ? ERROR_CANNOT : -errno,
			 "madvise(%s): %s: let the region be mapped anew, which needs threads",
			 region->ops->is_private ? "MADV_DONTNEED" : "MADV_REMOVE",
			 strerror(errno));
}

int region_renew(struct region *region, enum region_renewal how, struct error *error)
{
	int ret = how == RENEWAL_MAP ? renew_map(region, error) : renew_drop(region, error);

	return ret ? error_prefix(error, "region '%s': ", region->name) : 0;
}

int region_refill(struct region *region, struct error *error)
{
	struct region copy = *region;

	if (!region->mapping.address)
		return 0;
	return region_touch(&copy, error);
}

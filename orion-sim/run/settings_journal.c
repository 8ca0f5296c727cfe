/* SPDX-License-Identifier: MIT */
/* settings_journal.c - the record of borrowed settings that outlives a killed run, and its lock. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/sysfile.h"
#include "base/units.h"
#include "run/settings_parts.h"

#define JOURNAL_FOLDER	  "/run/orion-sim"
#define JOURNAL_NAME	  "settings.json"
#define JOURNAL_TMP	  "settings.tmp"
#define JOURNAL_LOCK	  "lock"
#define JOURNAL_BYTES_MAX (1 << 20)

#define LOCK_WAIT_NS  UINT64_C(5000000000)
#define LOCK_RETRY_NS UINT64_C(10000000)

static const char *const change_states[] = {"taking", "taken", "returning"};

static int journal_open_folder(const char *root, bool create, int *ret_fd, struct error *error)
{
	char path[512];
	struct stat status;
	int fd;

	snprintf(path, sizeof(path), "%s" JOURNAL_FOLDER, root);
	if (create && mkdir(path, 0700) && errno != EEXIST)
		return error_set(error, -errno,
				 "cannot make %s, where borrowed settings are noted: %s: run as "
				 "root",
				 path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return error_set(error, -errno, "cannot open %s: %s: %s", path, strerror(errno),
				 errno == EACCES ? "run as root"
						 : "it should be a folder of root's");
	if (fstat(fd, &status) || status.st_uid != geteuid() || status.st_mode & 022) {
		close(fd);
		return error_set(error, -EPERM,
				 "%s can be written by others: rm -r %s (as root) and run again",
				 path, path);
	}
	*ret_fd = fd;
	return 0;
}

/* Of the process that has taken the lock; 0 while it has not said so. */
static pid_t journal_read_pid(int lock_fd)
{
	char text[32] = "";
	uint64_t pid;

	if (pread(lock_fd, text, sizeof(text) - 1, 0) <= 0 || units_parse_count(text, &pid, NULL))
		return 0;
	return (pid_t)pid;
}

/* A zombie is as good as gone. */
static bool journal_pid_lives(pid_t pid)
{
	CLEANUP(cleanup_close) int fd = pid > 0 ? pidfd_open(pid, 0) : -1;
	struct pollfd end = {.fd = fd, .events = POLLIN};

	if (pid <= 0)
		return false;
	if (fd < 0)
		return errno != ESRCH;
	return poll(&end, 1, 0) == 0;
}

/* -EAGAIN: it was taken by a run that is gone, whose keeper has it until all is given back. */
static int journal_fail_busy(int lock_fd, struct error *error)
{
	pid_t pid = journal_read_pid(lock_fd);

	if (!journal_pid_lives(pid))
		return error_set(error, -EAGAIN,
				 "what an orion-sim (pid %d) had borrowed that is gone is still "
				 "being given back: try again in a moment",
				 pid);
	return error_set(error, -EBUSY,
			 "another orion-sim (pid %d) has borrowed settings of this machine: wait "
			 "until it has ended",
			 pid);
}

/* -ESTALE: the holder before us removed the file that we have locked. */
static int journal_lock(int folder_fd, int *ret_fd, struct error *error)
{
	int fd = openat(folder_fd, JOURNAL_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat mine, there;
	int ret = 0;

	if (fd < 0)
		return errno == ENOENT ? -ESTALE
				       : error_set(error, -errno, "cannot open %s/%s: %s",
						   JOURNAL_FOLDER, JOURNAL_LOCK, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB))
		ret = errno == EWOULDBLOCK
			      ? journal_fail_busy(fd, error)
			      : error_set(error, -errno, "cannot lock %s/%s: %s", JOURNAL_FOLDER,
					  JOURNAL_LOCK, strerror(errno));
	else if (fstat(fd, &mine) ||
		 fstatat(folder_fd, JOURNAL_LOCK, &there, AT_SYMLINK_NOFOLLOW) ||
		 mine.st_ino != there.st_ino)
		ret = -ESTALE;
	if (ret) {
		close(fd);
		return ret;
	}
	*ret_fd = fd;
	return 0;
}

static void journal_write_pid(int lock_fd)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "%d", getpid());

	/* Only for the sentence that another run says. */
	if (ftruncate(lock_fd, 0) || pwrite(lock_fd, text, (size_t)length, 0) != length)
		return;
}

static int journal_try_open(struct settings *settings, bool create, struct error *error)
{
	struct settings_journal *journal = &settings->journal;
	int ret = journal_open_folder(settings->place.root, create, &journal->folder_fd, error);

	if (ret)
		return ret;
	ret = journal_lock(journal->folder_fd, &journal->lock_fd, error);
	if (ret) {
		close(journal->folder_fd);
		journal->folder_fd = -1;
	}
	return ret;
}

int settings_journal_open(struct settings *settings, bool create, struct error *error)
{
	uint64_t deadline_ns = clock_now_ns() + LOCK_WAIT_NS;
	int ret;

	if (settings->journal.lock_fd >= 0)
		return 0;
	for (;;) {
		struct error own = {0};

		ret = journal_try_open(settings, create, &own);
		if ((ret != -ESTALE && ret != -EAGAIN) || clock_now_ns() > deadline_ns) {
			if (ret && error)
				*error = own;
			break;
		}
		clock_sleep_until(clock_now_ns() + LOCK_RETRY_NS);
	}
	if (ret == -ESTALE)
		return error_set(error, ret, "%s keeps being removed: try again", JOURNAL_FOLDER);
	if (ret == -EAGAIN)
		return -EBUSY;
	if (!ret)
		journal_write_pid(settings->journal.lock_fd);
	return ret;
}

static int journal_boot_id(const struct settings *settings, char *text, size_t size,
			   struct error *error)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/proc/sys/kernel/random/boot_id", settings->place.root);
	return sysfile_read(path, text, size, error);
}

static char *journal_print(const struct settings *settings, const char *boot_id)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(root, "changes");
	char *text;

	cJSON_AddStringToObject(root, "boot_id", boot_id);
	for (unsigned i = 0; i < settings->n_changes; i++) {
		const struct change *change = &settings->changes[i];
		cJSON *item;

		if (!change->ops)
			continue;
		item = cJSON_CreateObject();
		cJSON_AddStringToObject(item, "setting", change->ops->entry.name);
		json_add_u64_text(item, "size_bytes", change->size_bytes);
		cJSON_AddNumberToObject(item, "node", change->node);
		cJSON_AddStringToObject(item, "state", change_states[change->state]);
		cJSON_AddStringToObject(item, "from", change->from);
		cJSON_AddStringToObject(item, "to", change->to);
		cJSON_AddItemToArray(list, item);
	}
	text = cJSON_Print(root);
	cJSON_Delete(root);
	return text;
}

static int journal_write_tmp(int folder_fd, const char *text)
{
	CLEANUP(cleanup_close) int fd = -1;
	size_t length = strlen(text);

	unlinkat(folder_fd, JOURNAL_TMP, 0);
	fd = openat(folder_fd, JOURNAL_TMP, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return -errno;
	for (size_t done = 0; done < length;) {
		ssize_t n = write(fd, text + done, length - done);

		if (n < 0 && errno != EINTR)
			return -errno;
		done += n > 0 ? (size_t)n : 0;
	}
	return fsync(fd) ? -errno : 0;
}

int settings_journal_write(const struct settings *settings, struct error *error)
{
	int folder_fd = settings->journal.folder_fd;
	CLEANUP(cleanup_free) char *text = NULL;
	char boot_id[64];
	int ret = journal_boot_id(settings, boot_id, sizeof(boot_id), error);

	if (ret)
		return ret;
	text = journal_print(settings, boot_id);
	if (!text)
		return error_set(error, -ENOMEM, "no memory for the journal of settings");
	ret = journal_write_tmp(folder_fd, text);
	if (!ret && (renameat(folder_fd, JOURNAL_TMP, folder_fd, JOURNAL_NAME) || fsync(folder_fd)))
		ret = -errno;
	if (!ret)
		return 0;
	unlinkat(folder_fd, JOURNAL_TMP, 0);
	return error_set(error, ret, "cannot write %s/%s: %s", JOURNAL_FOLDER, JOURNAL_NAME,
			 strerror(-ret));
}

/* The text of a journal that is ours and nobody else's; -ENOENT if there is none. */
static int journal_read(int folder_fd, char **ret_text, struct error *error)
{
	CLEANUP(cleanup_close)
	int fd = openat(folder_fd, JOURNAL_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	CLEANUP(cleanup_free) char *text = NULL;
	struct stat status;

	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 || fstat(fd, &status))
		return error_set(error, -errno, "cannot read it: %s", strerror(errno));
	if (!S_ISREG(status.st_mode) || status.st_uid != geteuid() || status.st_mode & 022 ||
	    status.st_size > JOURNAL_BYTES_MAX)
		return error_set(error, -EPERM, "it is not a file that orion-sim wrote");
	text = calloc(1, (size_t)status.st_size + 1);
	if (!text || read(fd, text, (size_t)status.st_size) != status.st_size)
		return error_set(error, -EIO, "cannot read all of it");
	*ret_text = text;
	text = NULL;
	return 0;
}

static const char *journal_text(const cJSON *item, const char *name)
{
	const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, name));

	return text ? text : "";
}

static int journal_read_change(const cJSON *item, struct change *ret)
{
	const cJSON *node = cJSON_GetObjectItemCaseSensitive(item, "node");
	const char *state = journal_text(item, "state");
	struct change change = {.ops = settings_find(journal_text(item, "setting"))};

	change.state = CHANGE_TAKING;
	while (strcmp(change_states[change.state], state))
		if (change.state++ == CHANGE_RETURNING)
			return -EINVAL;
	if (!change.ops || !cJSON_IsNumber(node) ||
	    units_parse_count(journal_text(item, "size_bytes"), &change.size_bytes, NULL))
		return -EINVAL;
	change.node = node->valueint;
	snprintf(change.from, sizeof(change.from), "%s", journal_text(item, "from"));
	snprintf(change.to, sizeof(change.to), "%s", journal_text(item, "to"));
	*ret = change;
	return 0;
}

static int journal_read_changes(struct settings *settings, const cJSON *list, struct error *error)
{
	int n = cJSON_GetArraySize(list), i = 0;
	struct change *changes = calloc((size_t)n + 1, sizeof(*changes));
	const cJSON *item;

	if (!changes)
		return error_set(error, -ENOMEM, "no memory for the journal of settings");
	cJSON_ArrayForEach (item, list) {
		if (journal_read_change(item, &changes[i])) {
			free(changes);
			return error_set(error, -EBADMSG, "changes[%d] of it makes no sense", i);
		}
		i++;
	}
	free(settings->changes);
	settings->changes = changes;
	settings->n_changes = (unsigned)n;
	settings->room = (unsigned)n + 1;
	return 0;
}

static int journal_parse(struct settings *settings, const char *text, cJSON *notes,
			 struct error *error)
{
	CLEANUP(cleanup_json) struct json_document *document = NULL;
	char boot_id[64];
	int ret = journal_boot_id(settings, boot_id, sizeof(boot_id), error);

	if (!ret)
		ret = json_parse(JOURNAL_NAME, text, &document, error);
	if (ret)
		return ret;
	if (!strcmp(journal_text(json_root(document), "boot_id"), boot_id))
		return journal_read_changes(
			settings, cJSON_GetObjectItemCaseSensitive(json_root(document), "changes"),
			error);
	settings_note(notes, "settings that a run before the last boot had borrowed are gone with "
			     "that boot: removed their journal");
	return 0;
}

int settings_journal_load(struct settings *settings, cJSON *notes, struct error *error)
{
	CLEANUP(cleanup_free) char *text = NULL;
	int ret = journal_read(settings->journal.folder_fd, &text, error);

	if (ret == -ENOENT)
		return 0;
	if (!ret)
		ret = journal_parse(settings, text, notes, error);
	if (ret) {
		error_prefix(error, "journal of borrowed settings %s" JOURNAL_FOLDER "/%s: ",
			     settings->place.root, JOURNAL_NAME);
		error_append(error, ": look at it, set things right by hand, then remove it");
	}
	return ret;
}

static pid_t journal_holder(int folder_fd)
{
	CLEANUP(cleanup_close)
	int fd = openat(folder_fd, JOURNAL_LOCK, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	pid_t pid = fd < 0 ? 0 : journal_read_pid(fd);

	return journal_pid_lives(pid) ? pid : 0;
}

int settings_journal_peek(struct settings *settings, pid_t *ret_pid, struct error *error)
{
	CLEANUP(cleanup_close) int folder_fd = -1;
	int ret = journal_open_folder(settings->place.root, false, &folder_fd, error);

	if (ret)
		return ret;
	settings->journal.folder_fd = folder_fd;
	ret = settings_journal_load(settings, NULL, error);
	settings->journal.folder_fd = -1;
	if (!ret)
		*ret_pid = journal_holder(folder_fd);
	return ret;
}

void settings_journal_drop(struct settings *settings)
{
	if (settings->journal.lock_fd >= 0)
		unlinkat(settings->journal.folder_fd, JOURNAL_NAME, 0);
}

/* With a journal left in it the folder stays. */
void settings_journal_close(struct settings *settings, bool keep)
{
	struct settings_journal *journal = &settings->journal;
	char path[512];

	if (journal->lock_fd < 0)
		return;
	if (!keep)
		settings_journal_drop(settings);
	unlinkat(journal->folder_fd, JOURNAL_LOCK, 0);
	snprintf(path, sizeof(path), "%s" JOURNAL_FOLDER, settings->place.root);
	rmdir(path);
	/* Explicitly, since forked runners have the same lock open. */
	flock(journal->lock_fd, LOCK_UN);
	close(journal->lock_fd);
	close(journal->folder_fd);
	journal->lock_fd = journal->folder_fd = -1;
}

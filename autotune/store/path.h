// Where the database lies when nobody says otherwise; one rule for the tuner
// and for dispatch.
//
//   std::string path = DefaultDatabasePath();
//   if (OnNetworkFilesystem(path)) Warn("SQLite locks are unsafe there");
//   store = Store::Open(path, Store::Mode::kReadWrite);
#ifndef TILETUNE_AUTOTUNE_STORE_PATH_H_
#define TILETUNE_AUTOTUNE_STORE_PATH_H_

#include <string>

namespace tiletune {

// $TILETUNE_DB, else $XDG_DATA_HOME/tiletune/tiletune.db (when absolute, as
// the XDG Base Directory Specification asks), else
// $HOME/.local/share/tiletune/tiletune.db; empty variables count as unset.
// Without a home: /tmp/tiletune-UID/tiletune.db, as /tmp is shared by users.
// $TILETUNE_DB is a UserPath(): relative to where the user stood.
std::string DefaultDatabasePath();

// True when the file, or the nearest folder above it that exists, lies on NFS,
// SMB, Lustre, GPFS or another filesystem shared between hosts.
bool OnNetworkFilesystem(const std::string& path);

}  // namespace tiletune

#endif  // TILETUNE_AUTOTUNE_STORE_PATH_H_

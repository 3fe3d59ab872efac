// autotune devices: those here, the modelled ones, and those with stored rows.
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autotune/commands/commands.h"
#include "autotune/commands/text_table.h"
#include "autotune/worker/remote_bench.h"
#include "nlohmann/json.hpp"

namespace tiletune {
int RunDevices(const Options& options) {
  const absl::StatusOr<bool> json = WantsJson(options);
  if (!json.ok()) return Fail(json.status());
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  TextTable table({"device", "fingerprint", "name", "stored"});
  const auto add = [&](const std::string& handle, const DeviceFacts& facts,
                       const std::string& stored) {
    table.Add({handle, facts.Fingerprint(), facts.name, stored});
    all.push_back(Json{{"device", handle},
                       {"fingerprint", facts.Fingerprint()},
                       {"name", facts.name},
                       {"stored", stored}});
  };
  RemoteBench here({"/proc/self/exe", "worker", "auto"}, {});
  const absl::StatusOr<std::vector<BenchDevice>> devices = here.Devices();
  if (devices.ok()) {
    for (const BenchDevice& d : *devices) {
      add(absl::StrCat("cuda:", d.facts.ordinal), d.facts, "");
    }
  } else if (!*json) {
    std::printf("No CUDA device here: %s\n",
                std::string(devices.status().message()).c_str());
  }
  for (const std::string& name : ModelledDeviceNames()) {
    add(absl::StrCat("model:", name), *ModelledDevice(name), "");
  }
  // A database that is not there yet holds no devices; one that somebody named
  // should be there.
  const auto store = OpenStore(options, Store::Mode::kReadOnly);
  if (store.ok()) {
    const absl::StatusOr<std::vector<DeviceRow>> rows = (*store)->Devices();
    if (!rows.ok()) return Fail(rows.status());
    for (const DeviceRow& row : *rows) {
      add("stored", row.facts,
          absl::StrCat(row.measurements, " measurements, ", row.predictions,
                       " predictions"));
    }
  } else if (!absl::IsNotFound(store.status()) || !options.db.empty()) {
    return Fail(store.status());
  }
  std::fputs(*json ? absl::StrCat(all.dump(2), "\n").c_str()
                   : table.ToString().c_str(),
             stdout);
  return 0;
}

}  // namespace tiletune

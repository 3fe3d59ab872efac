"""Dependencies in WORKSPACE mode: the distribution's packages, nothing else.

With MODULE.bazel the same repository names come from the Bazel Central
Registry, so BUILD files are the same in both modes.
"""

load("//third_party/cuda:cuda_configure.bzl", "cuda_configure")
load(":rules_cc_shim.bzl", "rules_cc_shim")
load(":stub_repository.bzl", "stub_repository")
load(":system_library.bzl", "system_library")
load(":system_repository.bzl", "system_repository")

_ABSL = {
    "absl/base:core_headers": "absl_base",
    "absl/container:flat_hash_map": "absl_flat_hash_map",
    "absl/container:flat_hash_set": "absl_flat_hash_set",
    "absl/flags:flag": "absl_flags",
    "absl/flags:parse": "absl_flags_parse",
    "absl/flags:usage": "absl_flags_usage",
    "absl/hash:hash": "absl_hash",
    "absl/random:random": "absl_random_random",
    "absl/status:status": "absl_status",
    "absl/status:statusor": "absl_statusor",
    "absl/strings:str_format": "absl_str_format",
    "absl/strings:strings": "absl_strings",
    "absl/synchronization:synchronization": "absl_synchronization",
    "absl/time:time": "absl_time",
}

_LIBRARIES = {
    "abseil-cpp": ("libabsl-dev", _ABSL),
    "google_benchmark": ("libbenchmark-dev", {
        ":benchmark": "benchmark",
        ":benchmark_main": "benchmark",
    }),
    "googletest": ("libgtest-dev libgmock-dev", {
        ":gtest": "gmock",
        ":gtest_main": "gmock_main",
    }),
    "lz4": ("liblz4-dev", {":lz4": "liblz4"}),
    "nlohmann_json": ("nlohmann-json3-dev", {":json": "nlohmann_json"}),
    "sqlite3": ("libsqlite3-dev", {":sqlite3": "sqlite3"}),
    "zstd": ("libzstd-dev", {":zstd": "libzstd"}),
}

_RULES = {
    "bazel_skylib": ("/usr/share/bazel/tools/skylib", "bazel-skylib"),
    "platforms": ("/usr/share/bazel/tools/platforms", "bazel-platforms"),
    "rules_java": ("/usr/share/bazel/rules/java", "bazel-rules-java"),
    "rules_proto": ("/usr/share/bazel/rules/proto", "bazel-rules-proto"),
}

# Only newer Bazels can load these; Bazel 4 has the C++ rules built in.
_NEWER_RULES = {
    "rules_cc": ("/usr/share/bazel/rules/cc", "bazel-rules-cc"),
    "rules_python": ("/usr/share/bazel/rules/python", "bazel-rules-python"),
}

def tiletune_dependencies():
    """Declares every repository that the workspace above has not declared."""
    have = native.existing_rules()
    rules = dict(_RULES)
    if hasattr(config_common, "toolchain_type"):
        rules.update(_NEWER_RULES)
    elif "rules_cc" not in have:
        rules_cc_shim(name = "rules_cc")
    for name, (path, package) in rules.items():
        if name not in have:
            system_repository(name = name, path = path, package = package)
    for name, (package, libraries) in _LIBRARIES.items():
        if name not in have:
            system_library(
                name = name,
                # Debian ships no .pc file for the main program.
                extra_flags = {":benchmark_main": ["-lbenchmark_main"]},
                libraries = libraries,
                package = package,
            )
    if "remote_coverage_tools" not in have:
        stub_repository(
            name = "remote_coverage_tools",
            targets = ["coverage_report_generator"],
        )
    if "local_cuda" not in have:
        cuda_configure(name = "local_cuda")

"""C++ libraries of the distribution, in the layout their BCR modules have.

`@abseil-cpp//absl/strings` is then spelled the same whether Abseil comes from
libabsl-dev (WORKSPACE mode) or from the Bazel Central Registry.
"""

_HEAD = """load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])
"""

_LIBRARY = """
cc_library(
    name = %r,
    linkopts = %r,
)
"""

def _impl(ctx):
    packages = {}
    for label, module in ctx.attr.libraries.items():
        package, name = label.split(":")
        found = ctx.execute(["pkg-config", "--libs"] + module.split(" "))
        if found.return_code:
            fail(("%s was not found (%s): install pkg-config and %s " +
                  "(./bazelw does it)") %
                 (module, found.stderr.strip(), ctx.attr.package))
        flags = [f for f in found.stdout.strip().split(" ") if f]
        flags = ctx.attr.extra_flags.get(label, []) + flags
        packages.setdefault(package, []).append(_LIBRARY % (name, flags))
    for package, rules in packages.items():
        path = package + "/BUILD" if package else "BUILD"
        ctx.file(path, _HEAD + "".join(rules))
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)

system_library = repository_rule(
    implementation = _impl,
    attrs = {
        "extra_flags": attr.string_list_dict(doc = "flags to put before a target's"),
        "libraries": attr.string_dict(doc = "'package:target' to pkg-config module"),
        "package": attr.string(mandatory = True),
    },
    local = True,
)

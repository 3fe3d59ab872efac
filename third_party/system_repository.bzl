"""A repository made of the files of a distribution package (rules, not C++)."""

def _impl(ctx):
    path = ctx.path(ctx.attr.path)
    if not path.exists:
        fail("%s is missing: install the package %s (./bazelw does it)" %
             (ctx.attr.path, ctx.attr.package))
    for child in path.readdir():
        if child.basename not in ["WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"]:
            ctx.symlink(child, child.basename)
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)

system_repository = repository_rule(
    implementation = _impl,
    attrs = {
        "path": attr.string(mandatory = True),
        "package": attr.string(mandatory = True),
    },
    local = True,
)

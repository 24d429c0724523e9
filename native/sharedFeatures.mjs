/**
 * What cargo is told when it builds one crate of the workspace in the folder that `cargo test` of the whole workspace
 * uses as well: these crates ask for more features of the dependencies of the core, and without them each command would
 * compile the core with features of its own. Combined with `--lib` or `--bin` they are not built.
 */
export const SHARED_FEATURES = ['rhizome-binding', 'rhizome-bench', 'rhizome-load'].flatMap((name) => [
  '--package',
  name,
])

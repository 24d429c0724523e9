//! Lines of files of vectors.

use serde_json::Value;

/// The lines of a file, plain or compressed with zstd. The reader of vectors takes a name below its folder; an absolute
/// one is used as it is.
pub(crate) fn of_file(path: &str) -> impl Iterator<Item = Value> + use<> {
    let absolute =
        std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.to_string_lossy().into_owned());
    rhizome_vectors::json_lines(&absolute)
}

//! The recorded files of primitives, cells and facts through the program's own code.

use rhizome_bridge_vectors::run_file;

/// Kinds of primitives and facts that no code of this repository computes yet.
const MISSING: &[&str] = &["pegoutSize", "regularPegoutSize", "releaseBuild"];

fn check(name: &str) {
    let report = run_file(&rhizome_vectors::folder().join("bridge").join(name));
    assert!(report.equal > 0, "{name} is compared");
    let is_missing = |name: &str| MISSING.iter().any(|missing| name.ends_with(missing));
    let unexpected: Vec<_> = report.differences.iter().filter(|difference| !is_missing(&difference.name)).collect();
    assert!(unexpected.is_empty(), "{name}: {} differences, the first {:#?}", unexpected.len(), unexpected[0]);
}

#[test]
fn primitives() {
    check("bridge-primitives.jsonl");
}

#[test]
fn mutated_primitives() {
    check("bridge-primitives-mutated.jsonl");
}

#[test]
fn cells() {
    check("bridge-storage.jsonl");
}

#[test]
fn facts() {
    check("bridge-facts.jsonl");
}

#[test]
fn a_file_of_no_known_kind_is_a_difference() {
    let report = run_file(std::path::Path::new("bridge-sonata.jsonl"));
    assert_eq!((report.equal, report.different), (0, 1));
}

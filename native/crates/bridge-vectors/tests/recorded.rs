//! Runs the recorded files of primitives, cells and facts through the program's own code.

use rhizome_bridge_vectors::run_file;

fn check(name: &str) {
    let report = run_file(&rhizome_vectors::folder().join("bridge").join(name));
    assert!(report.equal > 0, "{name} is compared");
    let first = report.differences.first();
    assert!(first.is_none(), "{name}: {} differences, the first {first:#?}", report.differences.len());
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
fn metadata() {
    check("bridge-facts.jsonl");
}

#[test]
fn a_file_of_no_known_kind_is_a_difference() {
    let report = run_file(std::path::Path::new("bridge-sonata.jsonl"));
    assert_eq!((report.equal, report.different), (0, 1));
}

//! Pieces of states in snapshots: a stranger's pieces are refused, or hold what their roots name.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_primitives::B256;
use rhizome_store::LogImport;

/// Bytes before a root: position, number of values, number of roots, where there are no values.
const BEFORE_ROOT: usize = 16;

fuzz_target!(|input: &[u8]| {
    let Some((&split, bytes)) = input.split_first() else { return };
    let (first, second) = bytes.split_at(bytes.len() * usize::from(split) / 256);
    for single in [false, true] {
        let mut import = LogImport::new(None, single).expect("there is no store to fail");
        let mut end = import.end();
        for piece in [bytes, first, second] {
            match import.take(piece) {
                Ok(report) => {
                    assert!(report.end >= end);
                    assert!(report.nodes == 0 || report.end > end);
                    end = report.end;
                    if report.values == 0 && report.roots > 0 {
                        let root = B256::from_slice(&piece[BEFORE_ROOT..BEFORE_ROOT + 32]);
                        assert!(import.has_root(&root).expect("there is no store to fail"));
                    }
                }
                Err(_) => assert_eq!(import.end(), end),
            }
        }
    }
});

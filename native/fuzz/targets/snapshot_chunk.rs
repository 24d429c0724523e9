//! Chunks of snapshots: whatever a stranger packs, no more comes out than was said, and only with its hash.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_snapshot::{content_hash, pack, unpack};

/// Largest size that an input says.
const LARGEST: usize = 1 << 20;

fuzz_target!(|input: &[u8]| {
    let Some((&[a, b, c], bytes)) = input.split_first_chunk() else { return };
    let size = (usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c)) % LARGEST;
    assert!(unpack(bytes, size, &[0; 32]).is_err());

    // As contents of a chunk of ours, and as one in which a byte is another.
    let (hash, mut packed) = (content_hash(bytes), pack(bytes).expect("there is memory"));
    assert_eq!(unpack(&packed, bytes.len(), &hash).expect("it was packed here"), bytes);
    let at = size % packed.len();
    packed[at] ^= a | 1;
    if let Ok(contents) = unpack(&packed, bytes.len(), &hash) {
        assert_eq!(contents, bytes);
    }
});

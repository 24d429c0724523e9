//! Bitcoin headers: as a call hands them over, as they are stored, their targets; addresses.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_bitcoin::BlockHeader;
use rhizome_bitcoin::compact::{Target, work_of};
use rhizome_bitcoin::stored_header::StoredHeader;

fuzz_target!(|input: &[u8]| {
    if let Ok(header) = BlockHeader::parse(input) {
        assert_eq!(header.as_bytes()[..], input[..80]);
        let _ = (header.hash(), header.parent(), header.merkle_root(), header.time(), header.nonce());
        let target = Target::from_compact(header.bits());
        let again = Target::from_compact(target.to_compact() as u32);
        assert!(target.is_negative() || target.positive().is_none() || again == target);
        let _ = target.positive().map(work_of);
    }
    if let Ok(stored) = StoredHeader::decode(input) {
        let written = stored.encode(true).expect("32 bytes of work");
        assert_eq!(StoredHeader::decode(&written).as_ref(), Ok(&stored));
    }
});

//! RLP: what is read and written canonically is read again as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhizome_primitives::U256;
use rhizome_primitives::rlp::{self, Item};

/// Deepest nesting that is followed; nothing in the chain nests deeper.
const DEPTH: usize = 64;

fn rewrite(item: Item<'_>, depth: usize, out: &mut Vec<u8>) -> Option<()> {
    match item {
        Item::Bytes(bytes) => rlp::write_bytes(out, bytes),
        Item::List(_) if depth == 0 => return None,
        Item::List(_) => {
            let mut payload = Vec::new();
            for item in item.items().ok()? {
                rewrite(item, depth - 1, &mut payload)?;
            }
            out.extend_from_slice(&rlp::list(&payload));
        }
    }
    Some(())
}

fuzz_target!(|input: &[u8]| {
    let Ok((item, rest)) = Item::read(input) else { return };
    assert!(input.ends_with(rest));
    if let Ok(number) = item.u256() {
        let mut out = Vec::new();
        rlp::write_uint(&mut out, number);
        assert_eq!(Item::read_only(&out).and_then(Item::u256), Ok(number));
        assert_eq!(item.u64().is_ok(), number <= U256::from(u64::MAX));
    }
    let mut once = Vec::new();
    if rewrite(item, DEPTH, &mut once).is_none() {
        return;
    }
    let mut twice = Vec::new();
    let canonical = Item::read_only(&once).expect("what was written is RLP");
    rewrite(canonical, DEPTH, &mut twice).expect("what was written is RLP");
    assert_eq!(once, twice);
});

//! Finds the keys that a signature is of. Computing them once costs two recoveries, while asking each of twenty keys
//! costs a verification for each; and for inputs with many signatures, all of them are checked again with every
//! signature that is added.

use std::cell::RefCell;
use std::collections::HashMap;

use rhizome_crypto::{RecoveredKey, recover_public_key};
use rhizome_primitives::B256;

use crate::signature::Signature;

/// Number of signatures that each thread caches: those of some transactions with the maximum number of inputs, some 200
/// bytes each.
const KNOWN_SIGNATURES: usize = 8_192;

/// A signed hash with r and the lower s.
type Signed = (B256, B256, B256);

thread_local! {
    static KNOWN: RefCell<HashMap<Signed, Vec<[u8; 33]>>> = RefCell::new(HashMap::new());
}

/// True when the compressed key signed the hash, which is the case exactly where it verifies. A key verifies if it is one
/// of those that the signature recovers to. There is one for each point with the x-coordinate r, or r plus the order.
pub(crate) fn is_signer(key: &[u8; 33], hash: &B256, signature: &Signature) -> bool {
    let Some((r, s)) = signature.normalised() else { return false };
    KNOWN.with_borrow_mut(|known| {
        if known.len() >= KNOWN_SIGNATURES {
            known.clear();
        }
        known.entry((*hash, r, s)).or_insert_with(|| signers(hash, &r, &s)).contains(key)
    })
}

fn signers(hash: &B256, r: &B256, s: &B256) -> Vec<[u8; 33]> {
    (0..4)
        .filter_map(|id| match recover_public_key(hash, id, r, s) {
            Some(RecoveredKey::Point(point)) => Some(compressed(&point)),
            // In this case no valid key verifies.
            Some(RecoveredKey::Infinity) | None => None,
        })
        .collect()
}

fn compressed(point: &[u8; 64]) -> [u8; 33] {
    let mut key = [0; 33];
    key[0] = 2 + (point[63] & 1);
    key[1..].copy_from_slice(&point[..32]);
    key
}

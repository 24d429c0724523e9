//! Fallback mining: blocks signed instead of mined, possible until RSKIP98 (consensus.md §3.2 step 1).

use rhizome_crypto::signature::HALF_ORDER;
use rhizome_crypto::{RecoveredKey, recover_public_key};
use rhizome_primitives::rlp::Item;
use rhizome_primitives::{B256, hex};

use crate::error::FallbackError;

/// Key (x ∥ y) of even heights.
const EVEN_KEY: [u8; 64] = hex!(
    "1e2b148c024770e19c4f31db2233cac791583df95b4d14a5e9fd4b38dc8254b3"
    "048f937f169446b19d2eca40db1dd93fab34c0cd8a310afd6e6211f9a89e4bca"
);

/// Key (x ∥ y) of odd heights.
const ODD_KEY: [u8; 64] = hex!(
    "b55031870df5de88bdb84f65bd1c6f8331c633e759caa5ac7cad3fa4f8a36791"
    "e995804bba1558ddcf330a67ff5bfa253fa1d8789735f97a97e849686527976e"
);

/// Checks the signature that stands in place of the Bitcoin header: RLP `[v, r, s]` over the hash
/// for merged mining, by the key for the height's parity.
pub fn check_signature(signature: Option<&[u8]>, hash: &B256, number: u64) -> Result<(), FallbackError> {
    let key = if number.is_multiple_of(2) { &EVEN_KEY } else { &ODD_KEY };
    check_signature_of(key, signature, hash)
}

fn check_signature_of(key: &[u8; 64], signature: Option<&[u8]>, hash: &B256) -> Result<(), FallbackError> {
    let signature = signature.ok_or(FallbackError::Missing)?;
    let items = Item::read_only(signature).and_then(Item::items).map_err(|_| FallbackError::Malformed)?;
    let [Item::Bytes(&[v]), Item::Bytes(r), Item::Bytes(s)] = items[..] else {
        return Err(FallbackError::Malformed);
    };
    let (r, s) = (component(r)?, component(s)?);
    if !(27..=30).contains(&v) {
        return Err(FallbackError::RecoveryId(v));
    }
    if s >= HALF_ORDER {
        return Err(FallbackError::HighS);
    }
    match recover_public_key(hash, v - 27, &r, &s) {
        Some(RecoveredKey::Point(point)) if point == *key => Ok(()),
        Some(_) => Err(FallbackError::WrongKey),
        None => Err(FallbackError::NoKey),
    }
}

/// A component that is the shortest two's-complement encoding of a positive number.
fn component(bytes: &[u8]) -> Result<B256, FallbackError> {
    let significant = match bytes {
        [0, rest @ ..] if rest.first().is_some_and(|byte| *byte >= 0x80) => rest,
        [1..=0x7f, ..] => bytes,
        _ => return Err(FallbackError::NotMinimal),
    };
    if significant.len() > 32 {
        return Err(FallbackError::NoKey);
    }
    Ok(B256::left_padding_from(significant))
}

#[cfg(test)]
mod tests {
    use rhizome_crypto::{public_key, sign};
    use rhizome_primitives::{U256, rlp};

    use super::*;

    fn encode(v: u8, r: &[u8], s: &[u8]) -> Vec<u8> {
        let mut payload = Vec::new();
        rlp::write_bytes(&mut payload, &[v]);
        rlp::write_bytes(&mut payload, r);
        rlp::write_bytes(&mut payload, s);
        rlp::list(&payload)
    }

    /// Shortest signed form: a zero byte in front of a set top bit.
    fn signed(component: &B256) -> Vec<u8> {
        let mut bytes = U256::from_be_bytes(component.0).to_be_bytes_trimmed_vec();
        if bytes[0] >= 0x80 {
            bytes.insert(0, 0);
        }
        bytes
    }

    #[test]
    fn signatures() {
        for n in 1..=40u8 {
            let private_key = B256::repeat_byte(n);
            let key = public_key(&private_key).expect("a valid key");
            let hash = B256::repeat_byte(n ^ 0x5a);
            let signature = sign(&hash, &private_key).expect("a valid key");
            let (v, r, s) = (27 + signature.parity, signed(&signature.r), signed(&signature.s));
            let check = |bytes: &[u8]| check_signature_of(&key, Some(bytes), &hash);
            assert_eq!(check(&encode(v, &r, &s)), Ok(()));
            assert_eq!(check_signature(Some(&encode(v, &r, &s)), &hash, 4), Err(FallbackError::WrongKey));
            assert_eq!(check(&encode(31, &r, &s)), Err(FallbackError::RecoveryId(31)));
            assert_eq!(check(&encode(26, &r, &s)), Err(FallbackError::RecoveryId(26)));
            assert_eq!(check(&encode(v, &[&[0], &r[..]].concat(), &s)), Err(FallbackError::NotMinimal));
            assert_eq!(check(&encode(v, &r, HALF_ORDER.as_slice())), Err(FallbackError::HighS));
            assert_eq!(check(&[encode(v, &r, &s), vec![0]].concat()), Err(FallbackError::Malformed));
        }
        assert_eq!(check_signature(None, &B256::ZERO, 1), Err(FallbackError::Missing));
        assert_eq!(check_signature(Some(&[0xc0]), &B256::ZERO, 1), Err(FallbackError::Malformed));
        assert_eq!(check_signature(Some(&encode(27, &[], &[1])), &B256::ZERO, 1), Err(FallbackError::NotMinimal));
    }
}

//! Signed transactions as they are sent: read, hashed and their senders recovered in one pass (consensus.md §5.1, §5.2).

use rayon::prelude::*;
use rhizome_primitives::B256;
use rhizome_primitives::rlp::Item;

use crate::keccak::{RunningKeccak, keccak256};
use crate::recovery::recover_address;
use crate::signature::scalar_in_range;

/// Bytes of a record: kind 1 ∥ unused 3 ∥ sender 20 ∥ hash 32 ∥ nine times where an element begins and ends, each 4
/// little-endian, counted from the first byte of the transaction.
pub const TRANSACTION_RECORD_BYTES: usize = 4 + 20 + 32 + ELEMENTS * 8;

const ELEMENTS: usize = 9;
const SENDER_AT: usize = 4;
const HASH_AT: usize = SENDER_AT + 20;
const ELEMENTS_AT: usize = HASH_AT + 32;

/// Kinds of records: read, and nobody signed it; read, with its sender. Zero is what was not read.
const WITHOUT_SENDER: u8 = 1;
const WITH_SENDER: u8 = 2;

/// Minimum number of transactions per thread, as for signatures alone.
const MIN_PER_TASK: usize = 4;

/// A record for each of the transactions. One that is not encoded as the network would encode it, or whose signature has
/// a form that needs rules of its own, is not read: its record is zero, and the caller decodes it.
pub fn read_transactions(transactions: &[&[u8]]) -> Vec<u8> {
    let mut records = vec![0; transactions.len() * TRANSACTION_RECORD_BYTES];
    records
        .par_chunks_exact_mut(TRANSACTION_RECORD_BYTES)
        .zip(transactions.par_iter())
        .with_min_len(MIN_PER_TASK)
        .for_each(|(record, source)| {
            let _ = read(source, record);
        });
    records
}

/// The elements of a canonical transaction; the offset of the first one.
struct Elements<'a> {
    bytes: [&'a [u8]; ELEMENTS],
    first: usize,
    /// Offset at which the elements that are signed end.
    signed_end: usize,
}

fn read(source: &[u8], record: &mut [u8]) -> Option<()> {
    let Elements { bytes, first, signed_end } = elements(source)?;
    let [nonce, price, _, to, value, _, v, r, s] = bytes;
    let is_canonical = nonce != [0]
        && (price.len() < 2 || price[0] != 0)
        && (to.is_empty() || to.len() == 20)
        && value.first() != Some(&0);
    let &[v] = v else { return None };
    // An id of zero, or below, is written in another way.
    let chain_id = if v == 27 || v == 28 { None } else { Some((v.checked_sub(37)? >> 1) + 1) };
    if !is_canonical || r.first() == Some(&0) || s.first() == Some(&0) {
        return None;
    }
    let (r, s) = (word(r)?, word(s)?);
    if !scalar_in_range(&r) || !scalar_in_range(&s) {
        return None;
    }
    let parity = if chain_id.is_none() { v - 27 } else { (v - 35) & 1 };
    let sender = recover_address(&signing_hash(&source[first..signed_end], chain_id), parity, &r, &s);
    for (index, element) in bytes.iter().enumerate() {
        let start = element.as_ptr() as usize - source.as_ptr() as usize;
        let at = ELEMENTS_AT + index * 8;
        record[at..at + 4].copy_from_slice(&u32::try_from(start).ok()?.to_le_bytes());
        record[at + 4..at + 8].copy_from_slice(&u32::try_from(start + element.len()).ok()?.to_le_bytes());
    }
    record[HASH_AT..ELEMENTS_AT].copy_from_slice(keccak256(source).as_slice());
    if let Some(sender) = sender {
        record[SENDER_AT..HASH_AT].copy_from_slice(sender.as_slice());
    }
    record[0] = if sender.is_some() { WITH_SENDER } else { WITHOUT_SENDER };
    Some(())
}

/// None where an element is a list, a head is longer than it needs to be, or there are more or fewer elements.
fn elements(source: &[u8]) -> Option<Elements<'_>> {
    let (Item::List(payload), []) = Item::read(source).ok()? else { return None };
    let first = source.len() - payload.len();
    if first != head_length(payload.len()) {
        return None;
    }
    let mut bytes: [&[u8]; ELEMENTS] = [&[]; ELEMENTS];
    let mut signed_end = 0;
    let mut rest = payload;
    for (index, element) in bytes.iter_mut().enumerate() {
        let (Item::Bytes(content), next) = Item::read(rest).ok()? else { return None };
        let is_own = matches!(content, [byte] if *byte < 0x80);
        let length = if is_own { 1 } else { head_length(content.len()) + content.len() };
        if rest.len() - next.len() != length {
            return None;
        }
        *element = content;
        rest = next;
        if index == 5 {
            signed_end = source.len() - rest.len();
        }
    }
    rest.is_empty().then_some(Elements { bytes, first, signed_end })
}

/// Bytes of the head of a string or list whose content has so many bytes.
fn head_length(length: usize) -> usize {
    if length < 56 { 1 } else { 1 + (usize::BITS - length.leading_zeros()).div_ceil(8) as usize }
}

/// Big-endian, at most 32 bytes.
fn word(bytes: &[u8]) -> Option<B256> {
    (bytes.len() <= 32).then(|| B256::left_padding_from(bytes))
}

/// Hash that is signed: of the list of the first six elements, and of the chain id and two empty ones (EIP-155).
fn signing_hash(encoded: &[u8], chain_id: Option<u8>) -> B256 {
    // Below 0x80: a byte of v has no larger one.
    let suffix = chain_id.map(|id| [id, 0x80, 0x80]);
    let suffix = suffix.as_ref().map_or(&[][..], |suffix| &suffix[..]);
    let length = encoded.len() + suffix.len();
    let mut head = [0; 9];
    let head_length = head_length(length);
    if head_length == 1 {
        head[0] = 0xc0 + length as u8;
    } else {
        head[0] = 0xf6 + head_length as u8;
        let bytes = length.to_be_bytes();
        head[1..head_length].copy_from_slice(&bytes[bytes.len() - (head_length - 1)..]);
    }
    let mut keccak = RunningKeccak::default();
    keccak.update(&head[..head_length]);
    keccak.update(encoded);
    keccak.update(suffix);
    keccak.digest()
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::rlp::{list, write_bytes};

    use super::*;
    use crate::{address_of_private_key, sign};

    const KEY: B256 = B256::repeat_byte(7);

    fn encoded(elements: &[&[u8]]) -> Vec<u8> {
        let mut payload = Vec::new();
        for element in elements {
            write_bytes(&mut payload, element);
        }
        list(&payload)
    }

    /// A transaction with these fields, signed for a chain; 0 for every chain.
    fn signed(fields: [&[u8]; 6], chain_id: u8) -> Vec<u8> {
        let mut elements = fields.to_vec();
        let id = [chain_id];
        if chain_id != 0 {
            elements.extend([&id[..], &[], &[]]);
        }
        let signature = sign(&keccak256(&encoded(&elements)), &KEY).expect("a valid key");
        let v = [signature.parity + if chain_id == 0 { 27 } else { 35 + 2 * chain_id }];
        let trimmed = |word: &B256| word.iter().copied().skip_while(|&byte| byte == 0).collect::<Vec<u8>>();
        let (r, s) = (trimmed(&signature.r), trimmed(&signature.s));
        let mut elements = fields.to_vec();
        elements.extend([&v[..], &r, &s]);
        encoded(&elements)
    }

    fn fields(data: &[u8]) -> [&[u8]; 6] {
        [&[9], &[1, 0], &[0x52, 0x08], &[0xaa; 20], &[5], data]
    }

    fn kind_of(source: &[u8]) -> u8 {
        read_transactions(&[source])[0]
    }

    #[test]
    fn what_is_canonical_is_read_with_hash_sender_and_elements() {
        let sender = address_of_private_key(&KEY).expect("a valid key");
        for chain_id in [0, 1, 30, 31, 33, 109] {
            for length in [0, 1, 40, 100, 300, 70_000] {
                let data = vec![0xcd; length];
                let source = signed(fields(&data), chain_id);
                let record = &read_transactions(&[&source])[..];
                assert_eq!(record[0], WITH_SENDER, "{chain_id} {length}");
                assert_eq!(&record[SENDER_AT..HASH_AT], sender.as_slice(), "{chain_id} {length}");
                assert_eq!(&record[HASH_AT..ELEMENTS_AT], keccak256(&source).as_slice());
                let word = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().expect("4 bytes")) as usize;
                for (index, field) in fields(&data).iter().enumerate() {
                    let at = ELEMENTS_AT + index * 8;
                    assert_eq!(&source[word(at)..word(at + 4)], *field);
                }
            }
        }
    }

    #[test]
    fn what_is_encoded_otherwise_is_left() {
        let source = signed(fields(&[1, 2, 3]), 33);
        assert_eq!(kind_of(&source), WITH_SENDER);
        assert_eq!(kind_of(&[]), 0);
        assert_eq!(kind_of(&source[..source.len() - 1]), 0);
        assert_eq!(kind_of(&[&source[..], &[0]].concat()), 0);
        // The head of the list with a byte more than it needs.
        assert_eq!(kind_of(&[&[0xf9, 0][..], &source[1..]].concat()), 0);
        let [nonce, price, gas, to, value, data] = fields(&[1, 2, 3]);
        for other in [
            [&[0][..], price, gas, to, value, data],
            [nonce, &[0, 1], gas, to, value, data],
            [nonce, price, gas, &to[1..], value, data],
            [nonce, price, gas, to, &[0], data],
            [nonce, price, gas, to, &[0, 5], data],
        ] {
            assert_eq!(kind_of(&signed(other, 33)), 0);
        }
        for kept in [
            [&[][..], price, gas, to, value, data],
            [&[0, 0], price, gas, to, value, data],
            [nonce, &[0], gas, to, value, data],
            [nonce, &[], gas, to, value, data],
            [nonce, price, &[0, 1], &[], &[], &[]],
        ] {
            assert_eq!(kind_of(&signed(kept, 33)), WITH_SENDER);
        }
        for (v, r, s) in [
            (&[][..], &[1][..], &[1][..]),
            (&[1, 27], &[1], &[1]),
            (&[35], &[1], &[1]),
            (&[29], &[1], &[1]),
            (&[27], &[], &[1]),
            (&[27], &[1], &[0]),
            (&[27], &[0, 1], &[1]),
            (&[27], &[1; 33], &[1]),
            (&[27], &[0xff; 32], &[1]),
        ] {
            assert_eq!(kind_of(&encoded(&[nonce, price, gas, to, value, data, v, r, s])), 0);
        }
        // The curve has no point of this abscissa.
        assert_eq!(kind_of(&encoded(&[nonce, price, gas, to, value, data, &[27], &[5], &[1]])), WITHOUT_SENDER);
    }
}

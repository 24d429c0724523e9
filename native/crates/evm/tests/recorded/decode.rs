//! Reads signed transactions as the reference does (evm.md §3.1).

use rhizome_crypto::{components_acceptable, keccak256, recover_address};
use rhizome_evm::{REMASC_ADDRESS, Transaction};
use rhizome_primitives::account::AccountRef;
use rhizome_primitives::contract::SignedHash;
use rhizome_primitives::rlp::{self, Item};
use rhizome_primitives::{Address, B256, Bytes, U256};

/// None when the bytes do not decode, or a field is out of range.
pub(crate) fn decode(raw: &[u8], chain_id: u8, last: bool) -> Option<Transaction> {
    let items = Item::read_only(raw).and_then(Item::items).ok()?;
    let fields: Vec<&[u8]> = items.iter().map(|item| item.bytes().ok()).collect::<Option<_>>()?;
    let [nonce, gas_price, gas_limit, to, value, data, v, r, s] = fields[..] else { return None };
    let to_address = match to.len() {
        0 => None,
        20 => Some(Address::from_slice(to)),
        _ => return None,
    };
    let word = |bytes: &[u8]| (bytes.len() <= 32).then(|| U256::from_be_slice(bytes));
    let amount = |bytes: &[u8]| word(bytes).filter(|amount| !amount.bit(255));
    let limit = match gas_limit.len() {
        0..=8 => U256::from_be_slice(gas_limit).to::<u64>(),
        _ => i64::MAX as u64,
    };
    if limit > i64::MAX as u64 {
        return None;
    }
    let transaction = |hash: B256, sender: AccountRef, accepted: bool, signature: Option<SignedHash>| {
        Some(Transaction {
            hash,
            sender,
            nonce: word(nonce)?,
            gas_price: amount(gas_price)?,
            gas_limit: limit,
            to: to_address,
            value: amount(value)?,
            data: Bytes::copy_from_slice(data),
            signature_accepted: accepted,
            remasc: signature.is_none(),
            signature,
        })
    };
    let zero = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    let unsigned = v.is_empty() && r.is_empty() && s.is_empty();
    if last && unsigned && to_address == Some(REMASC_ADDRESS) && data.is_empty() && zero(value) && zero(gas_price) {
        return transaction(keccak256(raw), AccountRef::RemascSender, true, None);
    }
    let [v] = v else { return None };
    if r.is_empty() || s.is_empty() || r.len() > 32 || s.len() > 32 {
        return None;
    }
    let (id, parity) = match v {
        27 | 28 => (0, v - 27),
        v => (((i32::from(*v) - 35) / 2) as u8, 1 - v % 2),
    };
    let mut payload = Vec::new();
    let nonce_bytes = if nonce == [0] { &[][..] } else { nonce };
    rlp::write_bytes(&mut payload, nonce_bytes);
    match word(gas_price)? {
        price if gas_price.is_empty() || !price.is_zero() => rlp::write_uint(&mut payload, price),
        _ => rlp::write_bytes(&mut payload, &[0]),
    }
    rlp::write_bytes(&mut payload, gas_limit);
    rlp::write_bytes(&mut payload, to);
    rlp::write_uint(&mut payload, word(value)?);
    rlp::write_bytes(&mut payload, data);
    let mut signing = payload.clone();
    if id != 0 {
        rlp::write_uint(&mut signing, U256::from(id));
        signing.extend([0x80, 0x80]);
    }
    let (r, s) = (B256::left_padding_from(r), B256::left_padding_from(s));
    let signed = SignedHash { hash: keccak256(&rlp::list(&signing)), parity, r, s };
    let sender = recover_address(&signed.hash, parity, &r, &s)?;
    rlp::write_bytes(&mut payload, &[*v]);
    rlp::write_uint(&mut payload, U256::from_be_bytes(r.0));
    rlp::write_uint(&mut payload, U256::from_be_bytes(s.0));
    let accepted = components_acceptable(&r, &s) && (id == 0 || id == chain_id);
    transaction(keccak256(&rlp::list(&payload)), sender.into(), accepted, Some(signed))
}

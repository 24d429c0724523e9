//! Hash of an m-of-n multi-signature redeem script.

use rhizome_crypto::hash160;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::ContractError;
use secp256k1::PublicKey;

use crate::native::failed;

const MIN_KEYS: usize = 2;
/// More keys would not fit the 520 bytes of a pay-to-script-hash redeem script.
const MAX_KEYS: usize = 15;

/// Pushes 1 to 16 are this opcode plus the number.
const OP_RESERVED: u8 = 0x50;
const OP_CHECKMULTISIG: u8 = 0xae;

/// HASH160 of the script with the compressed keys in lexicographic order. Keys have 33 or 65 bytes.
pub(crate) fn script_hash(required: i64, keys: &[AbiValue]) -> Result<[u8; 20], ContractError> {
    if !(MIN_KEYS..=MAX_KEYS).contains(&keys.len()) {
        return Err(failed("a multi-signature script has 2 to 15 keys"));
    }
    let required = usize::try_from(required).ok().filter(|required| (1..=keys.len()).contains(required));
    let required = required.ok_or_else(|| failed("the number of signatures is not within 1 and the number of keys"))?;
    let mut compressed = keys.iter().map(compress).collect::<Result<Vec<_>, _>>()?;
    compressed.sort_unstable();
    let mut script = vec![OP_RESERVED + required as u8];
    for key in &compressed {
        script.push(key.len() as u8);
        script.extend_from_slice(key);
    }
    script.extend_from_slice(&[OP_RESERVED + keys.len() as u8, OP_CHECKMULTISIG]);
    Ok(hash160(&script))
}

fn compress(key: &AbiValue) -> Result<[u8; 33], ContractError> {
    let AbiValue::Bytes(bytes) = key else { return Err(failed("a public key is a byte string")) };
    let key = PublicKey::from_slice(bytes).map_err(|_| failed("a public key is malformed"))?;
    Ok(key.serialize())
}

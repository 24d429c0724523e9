//! HDWalletUtils, `0x…01000009` (RSKIP106): Bitcoin addresses, extended public keys, multi-signature scripts. Prefixes
//! of extended keys are Bitcoin's, whatever the Rootstock network.

mod extended_key;
mod multisig;
mod path;

use rhizome_primitives::Bytes;
use rhizome_primitives::abi::{self, AbiType, AbiValue, exact_i64};
use rhizome_primitives::contract::ContractError;

use crate::native::{Method, failed, named, no_method, output, parse};
use extended_key::ExtendedPublicKey;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    ToBase58Check,
    DeriveExtendedPublicKey,
    ExtractPublicKey,
    MultisigScriptHash,
}

const METHODS: &[Method<Function>] = &[
    Method {
        selector: [0x83, 0x8c, 0x2a, 0x31],
        signature: "toBase58Check(bytes,int256)",
        arguments: &[AbiType::Bytes, AbiType::Int],
        id: Function::ToBase58Check,
    },
    Method {
        selector: [0xab, 0x65, 0xdd, 0xb7],
        signature: "deriveExtendedPublicKey(string,string)",
        arguments: &[AbiType::String, AbiType::String],
        id: Function::DeriveExtendedPublicKey,
    },
    Method {
        selector: [0x81, 0x5a, 0x4f, 0x90],
        signature: "extractPublicKeyFromExtendedPublicKey(string)",
        arguments: &[AbiType::String],
        id: Function::ExtractPublicKey,
    },
    Method {
        selector: [0x8a, 0xd1, 0x38, 0x25],
        signature: "getMultisigScriptHash(int256,bytes[])",
        arguments: &[AbiType::Int, AbiType::Array(&AbiType::Bytes)],
        id: Function::MultisigScriptHash,
    },
];

/// Price by method; 0 when the call data name none.
pub(crate) fn gas(data: Option<&[u8]>) -> u64 {
    let Some((method, payload)) = named(METHODS, |_| true, data) else { return 0 };
    match method.id {
        Function::ToBase58Check => 13_000,
        Function::DeriveExtendedPublicKey => 107_000,
        Function::ExtractPublicKey => 11_300,
        Function::MultisigScriptHash => {
            let keys = abi::count(method.arguments, 1, payload).unwrap_or_default();
            20_000 + 700 * (keys as u64).saturating_sub(2)
        }
    }
}

/// The result, ABI-encoded. Fails when the arguments violate a condition of the method.
pub(crate) fn run(data: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    use AbiValue::{Array, Bytes as Blob, Int, String as Text};
    let (function, arguments) = parse(METHODS, |_| true, data).ok_or_else(no_method)?;
    let result = match (function, arguments.as_slice()) {
        (Function::ToBase58Check, [Blob(hash), Int(version)]) => {
            Text(to_base58_check(hash, exact_i64(*version).ok_or_else(|| failed("the version is out of range"))?)?)
        }
        (Function::DeriveExtendedPublicKey, [Text(key), Text(path)]) => {
            let mut key = ExtendedPublicKey::parse(key)?;
            for child in path::parse(path)? {
                key = key.derive(child)?;
            }
            Text(key.to_base58())
        }
        (Function::ExtractPublicKey, [Text(key)]) => {
            Blob(Bytes::copy_from_slice(&ExtendedPublicKey::parse(key)?.public_key()))
        }
        (Function::MultisigScriptHash, [Int(required), Array(keys)]) => {
            let required = exact_i64(*required).ok_or_else(|| failed("the number of signatures is out of range"))?;
            Blob(Bytes::copy_from_slice(&multisig::script_hash(required, keys)?))
        }
        _ => return Err(no_method()),
    };
    Ok(output(result))
}

fn to_base58_check(hash: &[u8], version: i64) -> Result<String, ContractError> {
    if hash.len() != 20 {
        return Err(failed("the hash must have 20 bytes"));
    }
    let version = u8::try_from(version).map_err(|_| failed("the version must be within 0 and 255"))?;
    Ok(bs58::encode(hash).with_check_version(version).into_string())
}

#[cfg(test)]
#[test]
fn selectors_are_those_of_the_signatures() {
    crate::native::assert_selectors(METHODS);
}

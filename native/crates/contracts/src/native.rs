//! Shared by HDWalletUtils, BlockHeader and Environment: dispatch by selector, and ABI decoding of arguments (evm.md
//! §4.3).

use rhizome_primitives::Bytes;
use rhizome_primitives::abi::{self, AbiType, AbiValue};
use rhizome_primitives::contract::ContractError;

/// A method of a native contract.
pub(crate) struct Method<M: 'static> {
    /// First four bytes of the hash of `signature`.
    pub(crate) selector: [u8; 4],
    /// Name and canonical argument types.
    #[cfg_attr(not(test), expect(dead_code, reason = "says what the selector stands for; a test compares the two"))]
    pub(crate) signature: &'static str,
    /// Argument types.
    pub(crate) arguments: &'static [AbiType],
    /// Identifies the method.
    pub(crate) id: M,
}

/// The method and arguments in the call data. None without data, with one to three bytes, for an unknown or disabled
/// method, and for arguments that do not decode: the price is then 0, and running fails.
pub(crate) fn parse<M: Copy>(
    methods: &'static [Method<M>],
    enabled: impl Fn(M) -> bool,
    data: Option<&[u8]>,
) -> Option<(M, Vec<AbiValue>)> {
    let (method, payload) = find(methods, enabled, data)?;
    let arguments = abi::decode(method.arguments, payload).ok()?;
    Some((method.id, arguments))
}

/// The method that [`parse`] would find, with its undecoded arguments. It takes no time for decoding, because callers
/// that cannot pay a price can ask for it, too.
pub(crate) fn named<'a, M: Copy>(
    methods: &'static [Method<M>],
    enabled: impl Fn(M) -> bool,
    data: Option<&'a [u8]>,
) -> Option<(&'static Method<M>, &'a [u8])> {
    find(methods, enabled, data).filter(|(method, payload)| abi::check(method.arguments, payload).is_ok())
}

fn find<'a, M: Copy>(
    methods: &'static [Method<M>],
    enabled: impl Fn(M) -> bool,
    data: Option<&'a [u8]>,
) -> Option<(&'static Method<M>, &'a [u8])> {
    let (selector, payload) = data?.split_first_chunk::<4>()?;
    let method = methods.iter().find(|method| method.selector == *selector && enabled(method.id))?;
    Some((method, payload))
}

/// The failure of a call that names no method.
pub(crate) fn no_method() -> ContractError {
    failed("the call data names no method of the contract")
}

/// The contract throws.
pub(crate) fn failed(reason: &str) -> ContractError {
    ContractError::Failed(reason.to_owned())
}

/// One result, encoded.
pub(crate) fn output(result: AbiValue) -> Option<Bytes> {
    Some(abi::encode(&[result]).into())
}

#[cfg(test)]
pub(crate) fn assert_selectors<M>(methods: &[Method<M>]) {
    for method in methods {
        assert_eq!(method.selector, abi::selector(method.signature), "{}", method.signature);
    }
}

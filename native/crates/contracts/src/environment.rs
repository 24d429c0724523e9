//! Environment, `0x…01000011` (RSKIP203).

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::{Bytes, U256};

use crate::native::{Method, no_method, output, parse};

const METHODS: &[Method<()>] =
    &[Method { selector: [0xe8, 0xce, 0x22, 0x74], signature: "getCallStackDepth()", arguments: &[], id: () }];

/// Depth of the calling frame plus one, as `uint32`. The call is free of charge.
pub(crate) fn run(context: &ContractContext, data: Option<&[u8]>) -> Result<Option<Bytes>, ContractError> {
    parse(METHODS, |()| true, data).ok_or_else(no_method)?;
    Ok(output(AbiValue::Int(U256::from(context.call_depth))))
}

#[cfg(test)]
#[test]
fn selectors_are_those_of_the_signatures() {
    crate::native::assert_selectors(METHODS);
}

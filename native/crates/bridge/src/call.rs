//! Decodes the call data of the Bridge and computes the price (bridge.md §1.1).

use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};

use crate::headers::confirmations;
use crate::method::{self, Cost, Definition, Method};

/// A method with its decoded arguments.
pub(crate) struct Call {
    pub(crate) definition: &'static Definition,
    pub(crate) arguments: Vec<AbiValue>,
}

/// Gas per byte of call data.
const GAS_PER_BYTE: u64 = 2;

/// Price of the cheapest method.
const MIN_GAS: u64 = 2_000;

impl Call {
    /// None when the data name no method that exists under the rules, or its arguments do not decode.
    pub(crate) fn parse(rules: RuleSet, data: Option<&[u8]>) -> Option<Self> {
        let (definition, arguments) = match data {
            None | Some([]) => (method::definition(Method::ReleaseBtc), Vec::new()),
            Some(data) => {
                let (selector, payload) = data.split_first_chunk::<4>()?;
                let definition = method::by_selector(*selector)?;
                (definition, abi::decode(definition.inputs, payload).ok()?)
            }
        };
        definition.is_enabled(rules).then_some(Self { definition, arguments })
    }
}

/// Price of a call; a call that names no method costs as much as `releaseBtc`, without its data.
pub(crate) fn gas(
    context: &ContractContext<'_>,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<u64, ContractError> {
    if context.from_contract && !context.rules.active(Rule::Rskip88) {
        return Err(ContractError::Failed("contracts cannot call the Bridge before RSKIP88".into()));
    }
    if context.free_transaction {
        return Ok(0);
    }
    let Some((definition, payload)) = named(context.rules, data) else {
        let Cost::Fixed(gas) = method::definition(Method::ReleaseBtc).cost else { unreachable!("a fixed cost") };
        return Ok(gas);
    };
    let gas = match definition.cost {
        Cost::Fixed(gas) => gas,
        Cost::ReceiveHeaders => {
            receive_headers_gas(context.rules, abi::count(definition.inputs, 0, payload).unwrap_or_default() as u64)
        }
        Cost::Confirmations => confirmations::gas(context, state, definition.inputs, payload)?,
    };
    Ok(gas + data.map_or(0, |data| data.len() as u64) * GAS_PER_BYTE)
}

/// The method that [`Call::parse`] would find, with its undecoded arguments. It takes no time for decoding, because
/// callers that cannot pay a price can ask for it, too.
fn named(rules: RuleSet, data: Option<&[u8]>) -> Option<(&'static Definition, &[u8])> {
    let (definition, payload) = match data {
        None | Some([]) => (method::definition(Method::ReleaseBtc), &[][..]),
        Some(data) => {
            let (selector, payload) = data.split_first_chunk::<4>()?;
            let definition = method::by_selector(*selector)?;
            abi::check(definition.inputs, payload).ok()?;
            (definition, payload)
        }
    };
    definition.is_enabled(rules).then_some((definition, payload))
}

/// Minimum gas of a contract's call with these data, from RSKIP88 on: a call with less is refused without being priced,
/// because no method costs less. None for the method whose price may throw.
pub(crate) fn least_gas(data: &[u8]) -> u64 {
    let method = data.first_chunk::<4>().and_then(|selector| method::by_selector(*selector));
    match method {
        Some(definition) if definition.cost == Cost::Confirmations => 0,
        _ => MIN_GAS,
    }
}

fn receive_headers_gas(rules: RuleSet, headers: u64) -> u64 {
    if !rules.active(Rule::Rskip124) {
        return 22_000;
    }
    let (base, step) = if rules.active(Rule::Rskip132) { (25_000, 3_500) } else { (66_000, 1_650) };
    base + headers.saturating_sub(1) * step
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::DEFINITIONS;

    #[test]
    fn no_method_costs_less_than_the_least() {
        let costs = DEFINITIONS.iter().filter_map(|definition| match definition.cost {
            Cost::Fixed(gas) => Some(gas),
            _ => None,
        });
        assert_eq!(costs.min(), Some(MIN_GAS));
        assert!(receive_headers_gas(RuleSet::NONE, 0) > MIN_GAS);
        let confirmations = abi::selector("getBtcTransactionConfirmations(bytes32,bytes32,uint256,bytes32[])");
        assert_eq!((least_gas(&confirmations), least_gas(&[]), least_gas(&[1, 2, 3, 4])), (0, MIN_GAS, MIN_GAS));
    }
}

//! Which method a call names, and what it costs (bridge.md §1.1).

use rhizome_primitives::abi::{self, AbiValue};
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};

use crate::confirmations;
use crate::method::{self, Cost, Definition, Method};

/// A method with its decoded arguments.
pub(crate) struct Call {
    pub(crate) definition: &'static Definition,
    pub(crate) arguments: Vec<AbiValue>,
}

/// Gas per byte of call data.
const GAS_PER_BYTE: u64 = 2;

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

/// Price of a call; calls that name no method pay for `releaseBtc`, without its data.
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
    let Some(call) = Call::parse(context.rules, data) else {
        let Cost::Fixed(gas) = method::definition(Method::ReleaseBtc).cost else { unreachable!("a fixed cost") };
        return Ok(gas);
    };
    let gas = match call.definition.cost {
        Cost::Fixed(gas) => gas,
        Cost::ReceiveHeaders => receive_headers_gas(context.rules, &call.arguments),
        Cost::Confirmations => confirmations::gas(context, state, &call.arguments)?,
    };
    Ok(gas + data.map_or(0, |data| data.len() as u64) * GAS_PER_BYTE)
}

fn receive_headers_gas(rules: RuleSet, arguments: &[AbiValue]) -> u64 {
    if !rules.active(Rule::Rskip124) {
        return 22_000;
    }
    let (base, step) = if rules.active(Rule::Rskip132) { (25_000, 3_500) } else { (66_000, 1_650) };
    let headers = match arguments {
        [AbiValue::Array(headers)] => headers.len() as u64,
        _ => 0,
    };
    base + headers.saturating_sub(1) * step
}

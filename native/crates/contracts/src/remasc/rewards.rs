//! Distribution of the fees (consensus.md §8.3).

use std::sync::Arc;

use rhizome_primitives::account::AccountRef;
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, U256};

use super::federation::federators;
use super::payment::Payer;
use super::siblings::{Sibling, breaks_selection_rule, siblings_of};
use super::storage::Cells;

/// Number of blocks within which an uncle may still be included.
const UNCLE_GENERATIONS: u64 = 7;

const LABS_DIVISOR: u64 = 5;
const FEDERATION_DIVISOR: u64 = 100;
const PUNISHMENT_DIVISOR: u64 = 10;
const PUBLISHERS_DIVISOR: u64 = 10;
const LATE_UNCLE_PUNISHMENT_DIVISOR: u64 = 20;

/// From RSKIP85 on a reward must pay this much gas at the minimum price of the executing block.
const MIN_PAYABLE_GAS: u64 = 200_000;
/// The same for the share of one federator.
const MIN_FEDERATOR_PAYABLE_GAS: u64 = 50_000;

/// Pays the fees of the block that matures with the executing block. Nothing happens before the first block has
/// matured; until a whole synthetic span has matured, fees are only collected.
pub(super) fn process_miners_fees(
    context: &ContractContext,
    state: &mut dyn ContractState,
    cells: &mut Cells,
) -> Result<(), ContractError> {
    let remasc = &context.spec.remasc;
    let Some(number) = context.block.number.checked_sub(remasc.maturity).filter(|&number| number >= 1) else {
        return Ok(());
    };
    let descendants = (0..UNCLE_GENERATIONS)
        .map(|back| ancestor_at(context, number + UNCLE_GENERATIONS - back))
        .collect::<Result<Vec<_>, _>>()?;
    let block = ancestor_at(context, number)?;

    let balance = cells.reward_balance(state)?.wrapping_add(block.paid_fees);
    cells.set_reward_balance(balance);
    if number < remasc.synthetic_span {
        return Ok(());
    }

    let siblings = siblings_of(number, &descendants);
    let punished = cells.broken_selection_rule(state)?;
    cells.set_broken_selection_rule(breaks_selection_rule(&block, &siblings));

    let reward = part(balance, remasc.synthetic_span);
    if below_minimum(context, reward, MIN_PAYABLE_GAS) {
        return Ok(());
    }
    cells.set_reward_balance(balance - reward);

    let mut payer = Payer { state, block_hash: block.hash };
    let labs = part(reward, LABS_DIVISOR);
    payer.pay(labs, labs_address(context).into())?;
    let reward = reward - labs;
    let federation = part(reward, FEDERATION_DIVISOR);
    pay_federation(context, &mut payer, cells, block.number, federation)?;
    let reward = reward - federation;
    if siblings.is_empty() {
        pay_miner(&mut payer, cells, block.coinbase, reward, punished)?;
    } else {
        pay_with_siblings(&mut payer, cells, &block, &siblings, reward, punished)?;
    }
    Ok(())
}

/// The executing block has no entry in the ancestry: its parent is at depth 0. A missing ancestor is a fault of this
/// node and must not become part of a state.
fn ancestor_at(context: &ContractContext, number: u64) -> Result<Arc<AncestorBlock>, StateError> {
    let depth = (context.block.number - 1).checked_sub(number);
    let block = depth.and_then(|depth| context.ancestry.ancestor(depth));
    block.ok_or_else(|| {
        let unknown = || StateError::Store(format!("ancestor {number} of block {} is not known", context.block.number));
        context.ancestry.failure().unwrap_or_else(unknown)
    })
}

fn part(amount: U256, divisor: u64) -> U256 {
    amount / U256::from(divisor.max(1))
}

fn below_minimum(context: &ContractContext, amount: U256, gas: u64) -> bool {
    context.rules.active(Rule::Rskip85) && amount < context.block.minimum_gas_price.saturating_mul(U256::from(gas))
}

fn labs_address(context: &ContractContext) -> Address {
    let remasc = &context.spec.remasc;
    if context.rules.active(Rule::Rskip218) { remasc.labs_address_rskip218 } else { remasc.labs_address }
}

/// Equal shares; the last federator also gets the remainder. Shares below the minimum are kept for later (RSKIP85).
fn pay_federation(
    context: &ContractContext,
    payer: &mut Payer,
    cells: &mut Cells,
    number: u64,
    reward: U256,
) -> Result<(), ContractError> {
    let federators = federators(context, payer.state, number)?;
    let total = cells.federation_balance(payer.state)?.wrapping_add(reward);
    let count = U256::from(federators.len().max(1));
    let (share, rest) = (total / count, total % count);
    if below_minimum(context, share, MIN_FEDERATOR_PAYABLE_GAS) {
        cells.set_federation_balance(total);
        return Ok(());
    }
    if context.rules.active(Rule::Rskip85) {
        cells.set_federation_balance(U256::ZERO);
    }
    let Some((last, others)) = federators.split_last() else {
        return Err(ContractError::Failed("the federation has no members".to_owned()));
    };
    for federator in others {
        payer.pay(share, (*federator).into())?;
    }
    payer.pay(share + rest, (*last).into())?;
    Ok(())
}

fn pay_miner(
    payer: &mut Payer,
    cells: &mut Cells,
    miner: AccountRef,
    reward: U256,
    punished: bool,
) -> Result<(), StateError> {
    let mut reward = reward;
    if punished {
        let punishment = part(reward, PUNISHMENT_DIVISOR);
        reward -= punishment;
        cells.burn(payer.state, punishment)?;
    }
    payer.pay(reward, miner)
}

/// A tenth goes to the miners that included the siblings. The rest goes in equal parts to the miners of the siblings,
/// less for late ones, and of the block itself.
fn pay_with_siblings(
    payer: &mut Payer,
    cells: &mut Cells,
    block: &AncestorBlock,
    siblings: &[Sibling],
    reward: U256,
    punished: bool,
) -> Result<(), StateError> {
    let count = U256::from(siblings.len());
    let miners = count + U256::from(1);
    let publishers_part = part(reward, PUBLISHERS_DIVISOR);
    let miners_part = reward - publishers_part;
    let mut share = miners_part / miners;
    let punishment = if punished { part(share, PUNISHMENT_DIVISOR) } else { U256::ZERO };
    share -= punishment;

    for sibling in siblings {
        payer.pay(publishers_part / count, sibling.publisher)?;
    }
    cells.burn(payer.state, publishers_part % count)?;
    cells.burn(payer.state, miners_part % miners)?;
    for sibling in siblings {
        let generations_late = sibling.published_at - block.number - 1;
        let punishment = part(share * U256::from(generations_late), LATE_UNCLE_PUNISHMENT_DIVISOR);
        payer.pay(share - punishment, sibling.uncle.coinbase)?;
        cells.burn(payer.state, punishment)?;
    }
    cells.burn(payer.state, punishment * miners)?;
    payer.pay(share, block.coinbase)
}

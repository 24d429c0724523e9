//! Votes on the next federation.

use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::{GENERIC_ERROR, SUCCESS};
use crate::events::federation as events;
use crate::federation::{Federation, FederationMember, MemberKey, codec};
use crate::storage::Frame;
use crate::storage::elections::CallSpec;

const PENDING_EXISTS: i64 = -1;
const AWAITS_ACTIVATION: i64 = -2;
const RETIRING_EXISTS: i64 = -3;
const PROPOSED_EXISTS: i64 = -4;
const NO_PENDING: i64 = -1;
const KEY_PRESENT: i64 = -2;
const TOO_FEW_MEMBERS: i64 = -2;
const OTHER_HASH: i64 = -3;

const MIN_MEMBERS: usize = 2;

/// The changes that can be voted on, with the arguments as they were given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FederationChange<'a> {
    /// Starts a pending federation.
    Create,
    /// Adds a member that uses one key for everything (until RSKIP123).
    Add([&'a [u8]; 1]),
    /// Adds a member: Bitcoin, Rootstock and MST key (RSKIP123).
    AddMulti([&'a [u8]; 3]),
    /// Commits the pending federation of this hash.
    Commit([&'a [u8]; 1]),
    /// Abandons the pending federation.
    Rollback,
}

impl FederationChange<'_> {
    fn call(&self) -> CallSpec {
        match self {
            Self::Create => CallSpec::new("create", &[]),
            Self::Add(key) => CallSpec::new("add", key),
            Self::AddMulti(keys) => CallSpec::new("add-multi", keys),
            Self::Commit(hash) => CallSpec::new("commit", hash),
            Self::Rollback => CallSpec::new("rollback", &[]),
        }
    }
}

/// Reason why a change is refused: with a result code, or because the call throws.
enum Refusal {
    Code(i64),
    Error(ContractError),
}

impl From<ContractError> for Refusal {
    fn from(error: ContractError) -> Self {
        Self::Error(error)
    }
}

/// A vote for a change. The change is tried first, so that only changes which can be executed are voted on; the vote
/// that completes the majority executes it. Returns a code of bridge.md §1.5.
///
/// # Errors
/// [`ContractError::Failed`] where the reference throws.
pub(crate) fn vote_federation_change(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    change: FederationChange<'_>,
) -> Result<i64, ContractError> {
    let authorisers = &frame.bridge().authorisers.federation_change;
    if !authorisers.contains(&context.sender) {
        return Ok(GENERIC_ERROR);
    }
    if let Some(code) = refused(prepare(frame, change))? {
        return Ok(code);
    }
    let call = change.call();
    if !frame.federation_election()?.vote(&call, context.sender) {
        return Ok(GENERIC_ERROR);
    }
    // A winner can only be the call that was just voted for: the others lacked the majority before.
    if frame.federation_election()?.winner(authorisers.len()).is_some() {
        if let Some(code) = refused(prepare(frame, change).and_then(|step| Ok(carry_out(context, frame, step)?)))? {
            frame.federation_election()?.clear_winner(authorisers.len());
            return Ok(code);
        }
        frame.federation_election()?.clear_winner(authorisers.len());
    }
    Ok(SUCCESS)
}

/// The code of a refusal; None when the change is not refused.
fn refused<T>(result: Result<T, Refusal>) -> Result<Option<i64>, ContractError> {
    match result {
        Ok(_) => Ok(None),
        Err(Refusal::Code(code)) => Ok(Some(code)),
        Err(Refusal::Error(error)) => Err(error),
    }
}

/// A change that can be executed.
enum Step {
    Create,
    Add(Vec<FederationMember>),
    Commit(Vec<FederationMember>),
    Rollback,
}

fn prepare(frame: &mut Frame<'_>, change: FederationChange<'_>) -> Result<Step, Refusal> {
    match change {
        FederationChange::Create => prepare_create(frame),
        FederationChange::Add([key]) => add(frame, [key; 3]),
        FederationChange::AddMulti(keys) => add(frame, keys),
        FederationChange::Commit([hash]) => prepare_commit(frame, hash),
        FederationChange::Rollback => pending(frame).map(|_| Step::Rollback),
    }
}

fn prepare_create(frame: &mut Frame<'_>) -> Result<Step, Refusal> {
    if frame.pending_federation()?.is_some() {
        return Err(Refusal::Code(PENDING_EXISTS));
    }
    if frame.proposed_federation()?.is_some() {
        return Err(Refusal::Code(PROPOSED_EXISTS));
    }
    if frame.awaits_activation()? {
        return Err(Refusal::Code(AWAITS_ACTIVATION));
    }
    if frame.retiring_federation()?.is_some() {
        return Err(Refusal::Code(RETIRING_EXISTS));
    }
    Ok(Step::Create)
}

fn pending(frame: &mut Frame<'_>) -> Result<Vec<FederationMember>, Refusal> {
    frame.pending_federation()?.ok_or(Refusal::Code(NO_PENDING))
}

/// No two members may share a key.
fn add(frame: &mut Frame<'_>, keys: [&[u8]; 3]) -> Result<Step, Refusal> {
    let [btc_key, rsk_key, mst_key] = keys.map(|key| MemberKey::parse(key).ok_or(Refusal::Code(GENERIC_ERROR)));
    let member = FederationMember { btc_key: btc_key?, rsk_key: rsk_key?, mst_key: mst_key? };
    let mut members = pending(frame)?;
    let shares = |other: &FederationMember| {
        other.btc_key == member.btc_key || other.rsk_key == member.rsk_key || other.mst_key == member.mst_key
    };
    if members.iter().any(shares) {
        return Err(Refusal::Code(KEY_PRESENT));
    }
    members.push(member);
    Ok(Step::Add(members))
}

fn prepare_commit(frame: &mut Frame<'_>, hash: &[u8]) -> Result<Step, Refusal> {
    if hash.len() != 32 {
        return Err(Refusal::Error(ContractError::Failed("the hash of a federation has 32 bytes".into())));
    }
    let members = pending(frame)?;
    if members.len() < MIN_MEMBERS {
        return Err(Refusal::Code(TOO_FEW_MEMBERS));
    }
    if *hash != *codec::pending_hash(&members) {
        return Err(Refusal::Code(OTHER_HASH));
    }
    Ok(Step::Commit(members))
}

fn carry_out(context: &ContractContext<'_>, frame: &mut Frame<'_>, step: Step) -> Result<(), ContractError> {
    match step {
        Step::Create => frame.set_pending_federation(Some(Vec::new())),
        Step::Add(members) => {
            frame.set_pending_federation(Some(members));
            return Ok(());
        }
        Step::Commit(members) => commit(context, frame, members)?,
        Step::Rollback => frame.set_pending_federation(None),
    }
    frame.federation_election()?.clear();
    Ok(())
}

/// Until RSKIP419 the pending federation becomes the newest one at once; afterwards it is proposed, and its members
/// must show that they can sign.
fn commit(
    context: &ContractContext<'_>,
    frame: &mut Frame<'_>,
    members: Vec<FederationMember>,
) -> Result<(), ContractError> {
    let proposed = frame.active(Rule::Rskip419);
    let format = Federation::format_of_commit(frame.rules);
    let seconds = context.block.timestamp as i64;
    // Before RSKIP419 the block's seconds are stored as if they were milliseconds.
    let time = if proposed { seconds.wrapping_mul(1000) } else { seconds };
    let number = context.block.number as i64;
    let federation = Federation::new(frame.bridge(), frame.rules, format, members, time, number)?;
    if proposed {
        frame.set_proposed_federation(Some(federation.clone()));
    } else {
        frame.hand_over(federation.clone())?;
    }
    frame.set_pending_federation(None);
    let old = if proposed { Some(frame.active_federation()?) } else { frame.old_federation()? };
    match old {
        Some(old) => events::commit_federation(frame, &old, &federation),
        None => Ok(()),
    }
}

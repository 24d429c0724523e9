/** @import { BridgeStatus, Child, Context, Federation, FederationMember } from '../types.js' */
import { formatBtc, formatInteger } from '../chain/amounts.js'
import { el } from '../ui/dom.js'
import { addressLink, blockLink, wholeHash } from '../ui/links.js'
import { facts, folded, longText, section, table } from '../ui/parts.js'
import { dateText } from '../ui/time.js'
import { signatureParts } from './pegouts.js'

/** Forms of redeem scripts. @type {Record<string, string>} */
const FORMATS = {
  standard: 'multi-signature script',
  nonStandardErp: 'with emergency keys, first form',
  p2shErp: 'with emergency keys',
  p2shP2wshErp: 'with emergency keys, segregated witness',
}

/** What a proposed federation waits for. @type {Record<string, string>} */
const STAGES = {
  fund: 'funds of the active federation',
  registerFund: 'the funding transaction to be mined and registered',
  spend: 'the next update of the Bridge, which spends the funds',
  sign: 'signatures of its members',
  registerSpend: 'the signed transaction to be mined and registered',
}

/**
 * The federations that there are, the active one first.
 * @param {Context} context
 * @param {BridgeStatus} status
 */
export function federationSections(context, { federations }) {
  const { active, retiring, next, proposed, pending } = federations
  return [
    federation(context, 'Active federation', active),
    retiring === null ? null : federation(context, 'Retiring federation', retiring),
    next === null ? null : federation(context, 'Next federation', next),
    proposed === null ? null : federation(context, 'Proposed federation', proposed),
    pending === null
      ? null
      : section('Federation being elected', members(context, 'Members so far', pending.members)),
  ].filter((part) => part !== null)
}

/**
 * @param {Context} context
 * @param {string} title
 * @param {Federation} federation
 */
function federation(context, title, federation) {
  const { address, balance, outputs, activationBlock, migration, validation } = federation
  return section(
    title,
    facts([
      ['Bitcoin address', wholeHash(address, 'Bitcoin address')],
      [
        'Signatures',
        `${BigInt(federation.threshold)} of ${federation.members.length}, ${FORMATS[federation.format] ?? federation.format}`,
      ],
      [
        'Holds',
        balance === undefined || outputs === undefined
          ? null
          : `${formatBtc(balance)} in ${formatInteger(BigInt(outputs))} outputs`,
      ],
      [
        'Made in',
        [
          'Block ',
          blockLink(BigInt(federation.creationBlock)),
          `, ${dateText(Number(federation.creationTime))}`,
        ],
      ],
      [
        'Active from',
        activationBlock === undefined ? null : `Block ${formatInteger(BigInt(activationBlock))}`,
      ],
      [
        'Its funds move',
        migration === undefined
          ? null
          : `from block ${formatInteger(BigInt(migration.fromBlock))} to ${formatInteger(BigInt(migration.endBlock))}`,
      ],
      ...(validation === undefined ? [] : validationFacts(context, validation)),
    ]),
    members(context, `Members of the ${title.toLowerCase()}`, federation.members),
    folded('Redeem script', longText(federation.redeemScript.slice(2), 'redeem script')),
  )
}

/**
 * @param {Context} context
 * @param {NonNullable<Federation['validation']>} validation
 * @returns {[string, Child][]}
 */
function validationFacts(context, { stage, endBlock, transaction, signatures }) {
  return [
    ['Waits for', STAGES[stage] ?? stage],
    ['Given up from', `Block ${formatInteger(BigInt(endBlock))}`],
    ['Bitcoin transaction', transaction === null ? null : wholeHash(transaction, 'Bitcoin transaction id')],
    ['Signed by', signatures === null ? null : signatureParts(context, signatures)],
  ]
}

/**
 * @param {Context} context
 * @param {string} caption
 * @param {readonly FederationMember[]} list
 */
function members(context, caption, list) {
  return folded(
    caption,
    table(
      caption,
      [{ title: 'Rootstock address' }, { title: 'Bitcoin key', kind: 'wide' }],
      list.map(({ address, btcKey }) => [
        addressLink(context, address),
        el('code', { class: 'said' }, btcKey.slice(2)),
      ]),
    ),
  )
}

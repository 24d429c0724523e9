/** @import { BridgeStatus, Child, Context, Signatures, WaitingPegout } from '../types.js' */
import { formatBtc, formatInteger } from '../chain/amounts.js'
import { el } from '../ui/dom.js'
import { addressLink, blockLink, transactionLink, wholeHash } from '../ui/links.js'
import { facts, folded, longText, section, table } from '../ui/parts.js'

/**
 * Peg-outs in the order in which they go: requests, transactions that wait for confirmations, then for signatures.
 * @param {Context} context
 * @param {BridgeStatus} status
 */
export function pegoutSections(context, { blockNumber, pegout }) {
  const { requests, nextBatchBlock, waitingForConfirmations, waitingForSignatures } = pegout
  return [
    section(
      'Requested peg-outs',
      el('p', { class: 'quiet' }, batchText(BigInt(blockNumber), nextBatchBlock)),
      table(
        'Requested peg-outs',
        [{ title: 'Transaction' }, { title: 'Bitcoin address' }, { title: 'Amount', kind: 'end' }],
        requests.map(({ transactionHash, destination, amount }) => [
          transactionHash === null ? 'not told' : transactionLink(transactionHash),
          el('code', {}, destination),
          formatBtc(amount),
        ]),
      ),
    ),
    section('Waiting for confirmations', waiting(context, waitingForConfirmations)),
    section('Waiting for signatures', waiting(context, waitingForSignatures)),
  ]
}

/**
 * @param {bigint} now
 * @param {string | null} next
 */
function batchText(now, next) {
  if (next === null) return 'They are paid whenever the federation updates the Bridge.'
  const block = BigInt(next)
  return block > now
    ? `They are paid together from block ${formatInteger(block)} on, in ${formatInteger(block - now)} blocks.`
    : 'They are paid together when the federation updates the Bridge next.'
}

/**
 * @param {Context} context
 * @param {readonly WaitingPegout[]} pegouts
 */
function waiting(context, pegouts) {
  if (pegouts.length === 0) return el('p', { class: 'quiet' }, 'None.')
  return el('div', {}, ...pegouts.map((pegout) => waitingPegout(context, pegout)))
}

/**
 * @param {Context} context
 * @param {WaitingPegout} pegout
 */
function waitingPegout(context, pegout) {
  const { transactionHash, bitcoinTransaction, creationBlock, confirmationBlock, remainingBlocks } = pegout
  return el(
    'article',
    {},
    facts([
      ['Made by', transactionHash === null ? null : transactionLink(transactionHash)],
      [
        'Bitcoin transaction',
        bitcoinTransaction === null
          ? 'signatures will change its id: look for its outputs'
          : wholeHash(bitcoinTransaction, 'Bitcoin transaction id'),
      ],
      ['Made in', creationBlock === undefined ? null : ['Block ', blockLink(BigInt(creationBlock))]],
      [
        'Confirmed',
        confirmationBlock === undefined || remainingBlocks === undefined
          ? null
          : confirmedText(BigInt(confirmationBlock), BigInt(remainingBlocks)),
      ],
      ['Signatures', pegout.signatures === undefined ? null : signatureParts(context, pegout.signatures)],
    ]),
    table(
      'Outputs of the Bitcoin transaction',
      [{ title: 'Pays' }, { title: 'Amount', kind: 'end' }],
      pegout.outputs.map(({ address, amount, toFederation }) => [
        [
          el('code', {}, address ?? 'no address'),
          toFederation ? [' ', el('span', { class: 'tag' }, 'federation')] : null,
        ],
        formatBtc(amount),
      ]),
    ),
    folded('Its bytes', longText(pegout.raw.slice(2), 'bytes of the Bitcoin transaction')),
  )
}

/**
 * @param {bigint} block
 * @param {bigint} remaining
 */
function confirmedText(block, remaining) {
  return remaining > 0n
    ? `from block ${formatInteger(block)} on, in ${formatInteger(remaining)} blocks`
    : 'enough: the next update of the Bridge may let it be signed'
}

/**
 * How many signed, and who.
 * @param {Context} context
 * @param {Signatures} signatures
 * @returns {Child}
 */
export function signatureParts(context, { needed, missing, signers }) {
  const there = BigInt(needed) - BigInt(missing)
  return [
    `${there} of ${BigInt(needed)}`,
    ...signers.map((signer) => /** @type {Child} */ ([' ', addressLink(context, signer)])),
  ]
}

/** @import { Child, Context } from '../types.js' */
import { announce } from '../ui/announce.js'
import { el, fill } from '../ui/dom.js'
import { transactionLink } from '../ui/links.js'
import { said } from '../ui/said.js'
import { refusalText } from './reason.js'
import { outcomeTag } from './transactionRows.js'

const MAX_TEXT_CHARACTERS = 1000
const POLL_MS = 1000
/** Looks for a receipt: blocks of public networks come twice a minute. */
const MAX_POLLS = 180

/**
 * A transaction that was sent, and how it ended as soon as that is known.
 * @param {Context} context
 * @param {Element} place
 * @param {string} hash
 * @param {AbortSignal} signal
 */
export async function showSent({ client }, place, hash, signal) {
  const outcome = el('span', {}, outcomeTag('waiting'))
  const line = el('p', { class: 'line' }, 'Sent: ', transactionLink(hash), outcome)
  fill(place, line)
  announce('the transaction is sent')
  for (let poll = 0; poll < MAX_POLLS && line.isConnected && !signal.aborted; poll += 1) {
    /** @type {{ status: string } | null} */
    const receipt = await client.call('eth_getTransactionReceipt', [hash], signal).catch(() => null)
    if (receipt !== null) {
      const isDone = receipt.status === '0x1'
      fill(outcome, outcomeTag(isDone ? 'success' : 'failed'))
      announce(isDone ? 'the transaction succeeded' : 'the transaction failed')
      return
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/**
 * Why something was refused.
 * @param {Context} context
 * @param {unknown} error
 * @param {string | null} address of the contract that was called
 * @returns {Child}
 */
export function refusal(context, error, address) {
  const text = refusalText(context, error, address)
  announce(`refused: ${text}`)
  return el(
    'p',
    { class: 'line' },
    el('span', { class: 'tag bad' }, 'refused'),
    said(text, MAX_TEXT_CHARACTERS),
  )
}

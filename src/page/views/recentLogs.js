/** @import { Context, Log } from '../types.js' */
import { formatInteger } from '../chain/amounts.js'
import { announce } from '../ui/announce.js'
import { el, fill } from '../ui/dom.js'
import { notice, section } from '../ui/parts.js'
import { logList } from './logTable.js'

const FIRST_BLOCKS = 128n
const LATER_BLOCKS = 1024n
const SHOWN = 50

/**
 * The newest logs of an address, and further back on request.
 * @param {Context} context
 * @param {string} address
 * @param {bigint} head
 * @param {AbortSignal} signal
 */
export async function recentLogs(context, address, head, signal) {
  /** @type {Log[]} */
  const found = []
  const place = el('div', {})
  let from = head + 1n
  /** @param {bigint} blocks */
  const lookBack = async (blocks) => {
    const to = from - 1n
    from = to < blocks ? 0n : to - blocks + 1n
    const range = { address, fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` }
    /** @type {Log[]} */
    const logs = await context.client.call('eth_getLogs', [range], signal)
    found.push(...logs.toReversed())
    show()
  }
  const show = () => {
    const isMore = found.length > SHOWN
    const text = `${formatInteger(found.length)} in blocks ${formatInteger(from)} to ${formatInteger(head)}${isMore ? `, the newest ${SHOWN} shown` : ''}`
    const further = el(
      'button',
      { type: 'button', on: { click: () => void lookFurther() } },
      'Look further back',
    )
    fill(place, [
      el('p', { class: 'quiet' }, text),
      found.length === 0 ? null : logList(context, found.slice(0, SHOWN), true),
      from > 0n && !isMore ? further : null,
    ])
    return text
  }
  const lookFurther = async () => {
    const before = from
    try {
      await lookBack(LATER_BLOCKS)
      announce(show())
    } catch (error) {
      from = before
      if (!signal.aborted) place.append(notice(error instanceof Error ? error.message : String(error)))
    }
  }
  await lookBack(FIRST_BLOCKS)
  return section('Recent logs', place)
}

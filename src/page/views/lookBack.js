/** @import { Child } from '../types.js' */
import { formatInteger } from '../chain/amounts.js'
import { RpcFailure } from '../rpc/client.js'
import { announce } from '../ui/announce.js'
import { el, fill } from '../ui/dom.js'
import { notice, section } from '../ui/parts.js'

/** What is shown at first, and more on each request. */
const SHOWN = 50

/**
 * A search through blocks from the head down.
 * @template T
 * @typedef {object} Search
 * @property {string} title
 * @property {bigint} head
 * @property {bigint} firstBlocks blocks that are looked through unasked; 0 for none
 * @property {bigint} laterBlocks blocks that are looked through on each request
 * @property {(from: bigint, to: bigint) => Promise<readonly T[]>} find the newest first
 * @property {(found: readonly T[]) => Promise<Child>} show
 * @property {AbortSignal} signal
 */

/**
 * What is found in the newest blocks, and further back on request.
 * @template T
 * @param {Search<T>} search
 */
export async function lookBackSection({ title, head, firstBlocks, laterBlocks, find, show, signal }) {
  /** @type {T[]} */
  const found = []
  const place = el('div', {})
  let from = head + 1n
  let count = SHOWN
  /** @param {bigint} blocks */
  const search = async (blocks) => {
    const to = from - 1n
    const next = to < blocks ? 0n : to - blocks + 1n
    found.push(...(await find(next, to)))
    from = next
  }
  const fillIn = async () => {
    const shown = found.slice(0, count)
    const hidden = found.length - shown.length
    const list = shown.length === 0 ? null : await show(shown)
    const text =
      from > head
        ? 'Nothing has been looked through yet.'
        : `${formatInteger(found.length)} in blocks ${formatInteger(from)} to ${formatInteger(head)}${hidden === 0 ? '' : `, the newest ${shown.length} shown`}`
    fill(place, [
      el('p', { class: 'quiet' }, text),
      list,
      hidden > 0 ? button('Show more', showMore) : null,
      hidden === 0 && from > 0n ? button(furtherText(from, head, laterBlocks), lookFurther) : null,
    ])
    return text
  }
  const showMore = async () => {
    count += SHOWN
    announce(await fillIn())
  }
  const lookFurther = async () => {
    await search(laterBlocks)
    announce(await fillIn())
  }
  /**
   * @param {string} label
   * @param {() => Promise<void>} task
   */
  const button = (label, task) => {
    const element = el(
      'button',
      {
        type: 'button',
        class: 'plain',
        on: {
          click: () => {
            element.disabled = true
            task().catch((error) => {
              element.disabled = false
              if (!signal.aborted)
                place.append(notice(error instanceof Error ? error.message : String(error)))
            })
          },
        },
      },
      label,
    )
    return element
  }
  const begin = async () => {
    try {
      if (firstBlocks > 0n) await search(firstBlocks)
      await fillIn()
    } catch (error) {
      // The node may refuse so many blocks or logs; the rest of the view is shown all the same.
      if (signal.aborted || (error instanceof RpcFailure && error.wantsKey)) throw error
      fill(place, [
        notice(error instanceof Error ? error.message : String(error)),
        button(furtherText(from, head, laterBlocks), lookFurther),
      ])
    }
  }
  await begin()
  return section(title, place)
}

/**
 * @param {bigint} from
 * @param {bigint} head
 * @param {bigint} blocks
 */
function furtherText(from, head, blocks) {
  return from > head ? `Look through the newest ${formatInteger(blocks)} blocks` : 'Look further back'
}

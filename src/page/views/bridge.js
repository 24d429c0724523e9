/** @import { BridgeStatus, Context, ViewMaker } from '../types.js' */
import { formatBtc, formatInteger, formatRbtc } from '../chain/amounts.js'
import { el, fill } from '../ui/dom.js'
import { blockLink, wholeHash } from '../ui/links.js'
import { facts, heading, notice, section } from '../ui/parts.js'
import { age } from '../ui/time.js'
import { federationSections } from './federations.js'
import { missing } from './notFound.js'
import { pegoutSections } from './pegouts.js'

const METHOD = 'rsk_getBridgeStatus'

/** The two-way peg after a block, the newest one unless one is named. @type {ViewMaker} */
export const bridgeView = async (context, [block], signal) => {
  const title = 'Bridge'
  if (block !== undefined && !/^\d{1,15}$/.test(block)) return missing('There is no such page')
  if (!context.methods.has(METHOD)) {
    return { title, content: [heading(title), notice('This node does not tell of the Bridge.')] }
  }
  const selector = block === undefined ? 'latest' : `0x${BigInt(block).toString(16)}`
  const shown = el('div', {})
  const after = el('span', { class: 'quiet' })
  const show = async () => {
    /** @type {BridgeStatus} */
    const status = await context.client.call(METHOD, [selector], signal)
    fill(after, ['after block ', blockLink(BigInt(status.blockNumber))])
    fill(shown, sections(context, status))
  }
  await show()
  return {
    title,
    content: [heading(title, after), shown],
    ...(block === undefined && {
      onHead: () => {
        // What somebody has opened stays as it is. The next head brings the next answer.
        if (shown.querySelector('details[open]') === null) show().catch(() => {})
      },
    }),
  }
}

/**
 * @param {Context} context
 * @param {BridgeStatus} status
 */
function sections(context, status) {
  const { bitcoin, pegin, pegout, lockedWei } = status
  return [
    facts([
      ['Locked', formatRbtc(BigInt(lockedWei))],
      [
        'Locking cap',
        pegin.lockingCap === null || pegin.belowCap === null
          ? null
          : `${formatBtc(pegin.lockingCap)}, ${formatBtc(pegin.belowCap)} of it free`,
      ],
      [
        'Bitcoin head',
        ['Block ', formatInteger(BigInt(bitcoin.height)), ', ', age(Number(bitcoin.timestamp))],
      ],
      ['Its hash', wholeHash(bitcoin.hash, 'Bitcoin block hash')],
      [
        'Peg-in',
        `at least ${formatBtc(pegin.minimum)}, after ${formatInteger(BigInt(pegin.confirmations))} Bitcoin blocks`,
      ],
      [
        'Peg-out',
        `at least ${formatBtc(pegout.minimum)}, signed after ${formatInteger(BigInt(pegout.confirmations))} blocks`,
      ],
      ['Fee', `${formatInteger(BigInt(pegout.feePerKb))} satoshi per 1,000 bytes`],
      [
        'Fee of the next batch',
        pegout.estimatedFee === null
          ? null
          : `about ${formatBtc(pegout.estimatedFee)}, shared by its requests`,
      ],
    ]),
    ...pegoutSections(context, status),
    ...federationSections(context, status),
    section(
      'As JSON',
      el('p', {}, el('a', { href: `#/methods/${METHOD}` }, METHOD), ' tells the same of every block.'),
    ),
  ]
}

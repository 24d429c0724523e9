/** @import { ViewMaker } from '../types.js' */
import { el } from '../ui/dom.js'
import { heading, table } from '../ui/parts.js'
import { BLOCK_COLUMNS, blockCalls, blockRow } from './blockRows.js'
import { missing } from './notFound.js'

const SHOWN = 25

/** Blocks from a height down; from the head unless one is named. @type {ViewMaker} */
export const blocksView = async (context, [from], signal) => {
  const head = BigInt(await context.client.call('eth_blockNumber', [], signal))
  if (from !== undefined && !/^\d{1,15}$/.test(from)) return missing('There is no such page')
  const top = from === undefined || BigInt(from) > head ? head : BigInt(from)
  const blocks = await context.client.all(blockCalls(top, SHOWN), signal)
  const title = from === undefined ? 'Newest blocks' : `Blocks from ${top} down`
  return {
    title,
    content: [
      heading(title),
      table(
        title,
        BLOCK_COLUMNS,
        blocks.filter((block) => block !== null).map((block) => blockRow(context, block)),
      ),
      el(
        'nav',
        { class: 'pages', 'aria-label': 'Pages of blocks' },
        top < head ? el('a', { href: `#/blocks/${top + BigInt(SHOWN)}` }, '← Newer') : null,
        top >= BigInt(SHOWN) ? el('a', { href: `#/blocks/${top - BigInt(SHOWN)}` }, 'Older →') : null,
      ),
    ],
  }
}

/** @import { Context, ViewMaker } from '../types.js' */
import { MAX_KEPT_BYTES } from '../abi/contracts.js'
import { visibleText } from '../chain/text.js'
import { el, fill } from '../ui/dom.js'
import { addressLink } from '../ui/links.js'
import { heading, section, table } from '../ui/parts.js'
import { said } from '../ui/said.js'
import { abiForm } from './abiForm.js'

/** The ABIs that the browser keeps. @type {ViewMaker} */
export const abisView = async (context) => {
  const kept = el('div', {})
  const show = () => fill(kept, keptTable(context, show))
  show()
  return {
    title: 'ABIs',
    content: [
      heading('ABIs'),
      el(
        'p',
        { class: 'quiet' },
        `With the ABI of a contract the page names its calls, logs and errors, and has forms to read and write it. ABIs stay in this browser, ${MAX_KEPT_BYTES / 1024} KiB of them at most, and are sent nowhere.`,
      ),
      section('Add', abiForm(context, show)),
      section('Kept', kept),
    ],
  }
}

/**
 * @param {Context} context
 * @param {() => void} onChange
 */
function keptTable(context, onChange) {
  const { contracts } = context
  return table(
    'ABIs that are kept',
    [
      { title: 'Name' },
      { title: 'Functions', kind: 'end wide' },
      { title: 'Events', kind: 'end wide' },
      { title: 'Errors', kind: 'end wide' },
      { title: 'Contracts' },
      { title: 'Forget', kind: 'end' },
    ],
    contracts.list.map((artifact) => {
      const items = contracts.itemsOf(artifact)
      const count = (/** @type {string} */ kind) => String(items.filter((item) => item.kind === kind).length)
      return [
        said(artifact.name),
        count('function'),
        count('event'),
        count('error'),
        artifact.deployments.map(({ address }) => [addressLink(context, address), ' ']),
        el(
          'button',
          {
            type: 'button',
            class: 'worded',
            'aria-label': `Forget ${visibleText(artifact.name)}`,
            on: {
              click: () => {
                contracts.remove(artifact.name)
                onChange()
              },
            },
          },
          'Forget',
        ),
      ]
    }),
  )
}

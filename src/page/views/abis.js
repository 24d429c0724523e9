/** @import { Context, ViewMaker } from '../types.js' */
/** @import { Artifact } from '../abi/abi.js' */
import { MAX_KEPT_BYTES } from '../abi/contracts.js'
import { readProject } from '../abi/project.js'
import { visibleText } from '../chain/text.js'
import { el, fill } from '../ui/dom.js'
import { addressLink } from '../ui/links.js'
import { heading, section, table } from '../ui/parts.js'
import { said } from '../ui/said.js'
import { abiForm } from './abiForm.js'

/** The ABIs that the browser keeps, and those of the node's project. @type {ViewMaker} */
export const abisView = async (context) => {
  await readProject(context)
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
        `With the ABI of a contract the page names its calls, logs and errors, and has forms to read and write it. ABIs stay in this browser, ${MAX_KEPT_BYTES / 1024} KiB of them at most, and are sent nowhere. Those of the project that a development node was started with are here by themselves and follow its builds.`,
      ),
      ...(context.project.left === 0
        ? []
        : [
            el(
              'p',
              { class: 'quiet' },
              `${context.project.left} artifacts of the project are too many for this page.`,
            ),
          ]),
      section('Add', abiForm(context, show)),
      section('Known', kept),
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
    'ABIs that are known',
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
        contracts.isOfProject(artifact) ? 'of the project' : forgetButton(context, artifact, onChange),
      ]
    }),
  )
}

/**
 * @param {Context} context
 * @param {Artifact} artifact
 * @param {() => void} onChange
 */
function forgetButton({ contracts }, { name }, onChange) {
  const click = () => {
    contracts.remove(name)
    onChange()
  }
  const label = `Forget ${visibleText(name)}`
  return el('button', { type: 'button', class: 'worded', 'aria-label': label, on: { click } }, 'Forget')
}

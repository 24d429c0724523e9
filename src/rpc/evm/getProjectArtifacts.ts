import { defineMethod } from '../defineMethod.ts'
import { RawJson } from '../json.ts'

/** The artifacts of `--project`, or of the project in the working directory, for the node's own page (decisions.md D59). */
export const getProjectArtifacts = defineMethod({
  name: 'evm_getProjectArtifacts',
  doc: "Contracts of the project that the node knows, with ABI and deployed code, for the node's own page.",
  params: [],
  result: { type: 'object' },
  lane: 'chain',
  cost: 5,
  cache: 'none',
  audience: 'dev',
  handler: async ({ projectArtifacts }) => {
    const { text = '[]', left = 0 } = (await projectArtifacts?.()) ?? {}
    return new RawJson(`{"contracts":${text},"left":${left}}`)
  },
})

/** @import { RpcClient } from '../rpc/client.js' */
/** @import { Methods } from '../rpc/methods.js' */
/** @import { Artifact } from './abi.js' */
import { readArtifact } from './artifact.js'

const METHOD = 'evm_getProjectArtifacts'
/** Milliseconds in which the node is not asked again. */
const PAUSE = 2000

/** The artifacts of the project that a node for development knows; they are read again and never kept. */
export class Project {
  #client
  #isThere
  #chainId
  #askedAt = Number.NEGATIVE_INFINITY
  /** Artifacts that found no space in the answer. */
  left = 0

  /**
   * @param {RpcClient} client
   * @param {Methods} methods
   * @param {number} chainId
   */
  constructor(client, methods, chainId) {
    this.#client = client
    this.#isThere = methods.has(METHOD)
    this.#chainId = chainId
  }

  /**
   * The artifacts as they are now; null when the node has none to ask for, or was asked a moment ago.
   * @returns {Promise<readonly Artifact[] | null>}
   */
  async read() {
    if (!this.#isThere || performance.now() - this.#askedAt < PAUSE) return null
    this.#askedAt = performance.now()
    try {
      const { contracts, left } = await this.#client.call(METHOD)
      this.left = left
      return contracts.flatMap((/** @type {object} */ one) => this.#artifactOf(one))
    } catch {
      // The page shows what it shows without them.
      return null
    }
  }

  /** @param {object} one @returns {Artifact[]} */
  #artifactOf(one) {
    try {
      return [readArtifact(JSON.stringify(one), { name: 'Contract', chainId: this.#chainId })]
    } catch {
      // An ABI of constructors alone, or one that the page cannot read.
      return []
    }
  }
}

/**
 * Takes over what the builds of the project wrote meanwhile.
 * @param {{ contracts: import('./contracts.js').Contracts, project: Project }} context
 */
export async function readProject({ contracts, project }) {
  const artifacts = await project.read()
  if (artifacts !== null) contracts.setProject(artifacts)
}

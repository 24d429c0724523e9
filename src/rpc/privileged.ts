import { moduleOf } from './availability.ts'

/** Modules that sign, make blocks, or change the node. */
const MODULES: ReadonlySet<string> = new Set(['personal', 'evm', 'mnr', 'sco', 'admin'])

/** Other names in the module `eth` of what is in the modules above, and names of the accounts that would sign. */
const METHODS = /^eth_(accounts|requestAccounts|sendTransaction|sign\w*|getWork|submit\w+)$/

/**
 * Whether a method signs, changes the chain or changes the node. Pages of other origins may not use it
 * (decisions.md D59). A transaction that came signed is none of its business: nobody here vouches for it.
 */
export function isPrivileged(method: string): boolean {
  return MODULES.has(moduleOf(method)) || METHODS.test(method)
}

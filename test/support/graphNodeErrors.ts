/**
 * What graph-node, which indexes this network, takes for the final answer to an eth_call: an error whose message holds
 * one of these words, in any case (its table of execution errors of geth-like clients). After any other error it asks
 * again for ever. Not configurable by whoever runs a subgraph.
 */
const FINAL_WORDS = [
  'revert',
  'invalid jump destination',
  'invalid opcode',
  'stack limit reached 1024',
  'out of gas',
  'stack underflow',
] as const

/** Whether graph-node stores an error with such a message as final. */
export function isFinalForGraphNode(message: string): boolean {
  return FINAL_WORDS.some((words) => message.toLowerCase().includes(words))
}

// Starts a node in a process of its own, prints its address and waits: node orphan.mjs
import { createNode } from 'rhizome'

const { url } = await createNode({ process: 'child' })
process.stdout.write(url)

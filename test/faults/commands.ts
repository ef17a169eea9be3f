import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Found } from './catalogue.ts'
import type { Violation } from './journal.ts'
import type { Rig } from './rigs.ts'

const DAY_MS = 86_400_000

/**
 * Runs what an operator runs beside a server: looks at it, backs it up and restores the backup
 * elsewhere. None of these may find anything wrong, and the load must not notice.
 */
export async function runCommands({ json }: Rig): Promise<Found> {
  const scratch = await mkdtemp(join(tmpdir(), 'tradepost-faults-commands-'))
  const violations: Violation[] = []
  let checks = 0
  const check = (promise: string, command: string, wrong: readonly unknown[]) => {
    checks += 1
    const found = wrong.map((one) => ({ promise, what: `${command}: ${JSON.stringify(one)}` }))
    violations.push(...found)
  }
  try {
    const doctor = await json('doctor')
    const isBad = ({ level }: { level: string }) => level === 'bad'
    check('P17', 'doctor', doctor.checks.filter(isBad))
    const backups = join(scratch, 'backups')
    const made = await json('backup', backups)
    check('P11', 'backup', made.files.faults)
    const restored = await json('restore', backups, '--verify')
    check('P11', 'restore --verify', [...restored.findings, ...restored.faults])
    check('P17', 'audit --since', (await json('audit', '--since')).findings)
    await json('stuck', 'list')
    const before = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10)
    const events = join(scratch, 'events.ndjson')
    const exported = await json('events', 'export', '--before', before, '--to', events)
    check('P17', 'events export', exported.events > 0 ? [] : ['it exported nothing'])
    return { violations, checks, says: `${made.rows} rows were backed up, restored and audited` }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

import type { Arbitrary } from 'fast-check'
import { fc } from '../../property.ts'
import {
  AFTER_EFFECT,
  BEFORE_EFFECT,
  CONNECTION_FAULTS,
  type FaultKind,
  type FaultRule,
  NOTICE_FAULTS,
} from './faults.ts'

/**
 * Draws rules for a double: connections, requests for these paths (`POST /transfer`), and notices.
 * Each ends by itself, and none makes anybody wait longer than a tenth of a second.
 */
export function faultRules(paths: readonly [string, ...string[]]): Arbitrary<FaultRule> {
  const counted = { nth: fc.integer({ min: 1, max: 4 }), times: fc.integer({ min: 1, max: 3 }) }
  const rule = (on: readonly string[], kinds: readonly FaultKind[]) =>
    fc
      .record({ on: fc.constantFrom(...on), kind: fc.constantFrom(...kinds), ...counted })
      .map(filled)
  const connections = CONNECTION_FAULTS.filter((kind) => kind !== 'refuse')
  return fc.oneof(
    rule(['*'], connections),
    rule(paths, [...BEFORE_EFFECT, ...AFTER_EFFECT]),
    rule(['notice *'], NOTICE_FAULTS),
  )
}

function filled(rule: FaultRule): FaultRule {
  const { kind, nth = 1 } = rule
  if (kind === 'missing_field') return { ...rule, field: 'data' }
  if (kind === 'status')
    return nth > 2 ? { ...rule, status: 429, retryAfter: 1 } : { ...rule, status: 503 }
  return /^(hang|slow)/.test(kind) ? { ...rule, ms: 100 } : rule
}

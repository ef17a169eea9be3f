import type { startServer } from '../../../test/harness.ts'
import { createKey, type KeyRequest, revokeKey, rotateKey } from './service.ts'

export const PATH = '/api/user-service/external/v1/profile'
export const HOUR_MS = 3_600_000

export function openKeys(server: Awaited<ReturnType<typeof startServer>>) {
  const { db, ids, clock, as, business } = server
  const tenant = { businessId: business.businessId, live: false }
  const make = (request: KeyRequest = {}, of = tenant) =>
    db.transaction((tx) => createKey(tx, ids, of, request, clock.now()))
  const revoke = (keyId: number, of = tenant) =>
    db.transaction((tx) => revokeKey(tx, ids, of, keyId, clock.now()))
  const rotate = (keyId: number, graceHours: number, of = tenant) =>
    db.transaction((tx) => rotateKey(tx, ids, of, keyId, graceHours, clock.now()))
  const statusOf = async (key: string, headers = {}) => (await as(key).get(PATH, headers)).status
  return { tenant, make, revoke, rotate, statusOf }
}

import { JOB_ROWS_MAX, type Job } from '../../jobs/jobs.ts'
import { deleteExpired } from './queries.ts'

export const enquiryJob: Job = {
  name: 'utility-enquiries',
  everyMs: 60_000,
  run: (db, now, only) => deleteExpired(db, now, only ?? null, JOB_ROWS_MAX),
}

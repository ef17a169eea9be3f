export {
  hasConnection,
  type NoticeRow,
  selectNotice as findNotice,
  selectNotices as listNotices,
  updateReplayed as replayNotice,
} from './queries.ts'

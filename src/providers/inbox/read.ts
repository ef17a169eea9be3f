export {
  hasConnection,
  type NoticeRow,
  selectNotice as findNotice,
  selectNotices as listNotices,
  updateClosed as closeNotice,
  updateReplayed as replayNotice,
} from './queries.ts'

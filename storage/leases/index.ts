/** Leases of hosts: who may send requests to a host, and until when. */
export {
  renewLeases,
  cutVisit,
  cutLeases,
  leaveHostAlone,
  releaseLease,
  type Visit,
  type Blamed,
  type Leaving,
} from './keep.sql.ts';
export {
  takenColumns,
  reserving,
  byDefault,
  takeLease,
  takeGuestLease,
  askGuestLease,
  type TakenLease,
} from './take.sql.ts';

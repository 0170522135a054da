/**
 * The statements that touch rows of more than one host, each with its reason: what stands between this database and one
 * that is spread over machines by host_id. docs/many-hosts.md is made from this list, and `many-hosts.test.ts` compares
 * it with the statements.
 */

interface Reason {
  readonly why: string;
  /** When such a statement runs. */
  readonly when: string;
  readonly statements: readonly string[];
}

export const manyHosts: readonly Reason[] = [
  {
    why: 'Group commit: a process writes what it has gathered for many hosts in one transaction, which saves transactions and syncs. The rows do not depend on one another and can be split by host.',
    when: 'each commit of fetched pages, read pages or new URLs',
    statements: [
      ...['advanceStages', 'claimNewContents', 'commitResults', 'insertUrls', 'leadTo', 'lockHostQueues'],
      ...['notePromises', 'noteRounds', 'turnKinds', 'upsertPages'],
    ],
  },
  {
    why: 'Links to URLs of many hosts are counted together, and turned into new scores in one statement for all of them. The rows can be split by host.',
    when: 'every one to five seconds in each process that reads pages, for crawls whose scores depend on links',
    statements: ['addLinks', 'rescoreUrls'],
  },
  {
    why: 'An edit of the weights gives the URLs of each batch that it judges new scores. The rows can be split by host.',
    when: 'each thousand URLs of an edit of weights or trusted domains',
    statements: ['settleTiers', 'urlsToScore'],
  },
  {
    why: 'All leases that a process holds are kept, and all its waiting visits are told what is queued, in one statement instead of one a host. The rows can be split by host.',
    when: 'every few seconds in each process that fetches; for waiting visits ten times a second',
    statements: ['cutLeases', 'noteTimes', 'renewLeases', 'workAhead'],
  },
  {
    why: 'The scheduler of a shard of hosts chooses the hosts whose turn it is, fairly between tenants and crawls, and puts right the turns of those that it looked at too early.',
    when: 'each tick of a scheduler',
    statements: [
      'admitAtDoor',
      'askPlacesBack',
      'claimDueShards',
      'claimIdleHosts',
      'correctTurns',
      'countUnbegun',
      'countWaiting',
      'feedHosts',
      'hostsForDoor',
      'hostsForPlaces',
      'leaveToDoors',
      'moveHosts',
      'noteUnanswered',
      'restShard',
      'shardActivity',
    ],
  },
  {
    why: 'Hosts at one address wait for permits together. A process notes those that have waited for a second, each once for a wait, and an explanation counts them.',
    when: 'once a second in a process whose hosts wait; an explanation',
    statements: ['hostCapWait', 'noteWaits'],
  },
  {
    why: 'Requests to the API wait for pages of any hosts, and one look is for all of them; each row names its host and key.',
    when: 'three times a second in a process of the API, while requests wait for a page',
    statements: ['settledPlaces'],
  },
  {
    why: 'The patrol looks for hosts that a crash has left behind. It cannot know which.',
    when: 'every few seconds; after a lost Temporal namespace',
    statements: ['reclaimPaused', 'refeedHosts', 'unfeedHosts'],
  },
  {
    why: 'The scheduler looks for hosts in trouble that does not concern all who wait for them.',
    when: 'every five seconds, while work waits',
    statements: ['letOthersAsk'],
  },
  {
    why: 'The scheduler looks for leases of its shard that ran out and were not returned. It cannot know whose.',
    when: 'each tick, once a second',
    statements: ['lost-visits'],
  },
  {
    why: 'Answers to made-up paths that have no body are judged together; each row names its host and key.',
    when: 'every few seconds in each control worker, of hosts whose answer was not judged yet',
    statements: ['bodilessAnswers', 'closeUnasked'],
  },
  {
    why: 'Bodies of many hosts are judged, read and rendered together, in turns of crawls and of the hosts of each.',
    when: 'while bodies come, in each lane',
    statements: [
      'bodies-to-judge',
      'bodies-to-read',
      'bodies-to-read-here',
      'bodies-to-render',
      'bodies-to-render-here',
      'hosts-to-judge',
      'hosts-to-read',
      'hosts-to-render',
      'renderingFacts',
      'settledRenderings',
      'storeGains',
    ],
  },
  {
    why: 'Pages that are rendered wait for files of any hosts, and are looked at in the order in which they are due.',
    when: 'three times a second in each process that renders, where pages wait; every two seconds, where crawls end or nobody renders; when hosts let a crawl in again',
    statements: ['endRenderings', 'lookAgain', 'renderAgain'],
  },
  {
    why: 'Hosts are asked for by name, and their ids are not known yet. Each process remembers the ids of the hosts that it met.',
    when: 'a host that a process meets for the first time; a question about one URL or host',
    statements: [
      'askRobots',
      'ensureHosts',
      'explainHost',
      'findForPage',
      'findStored',
      'findLooks',
      'hostPlaces',
      'repeatedBlocks',
      'findUrlState',
      'hostIds',
      'hostShare',
      'isHostParked',
      'knownUrls',
    ],
  },
  {
    why: 'A row names another host: the page that a link was found on, the sitemap that named this one, the page with the same body.',
    when: 'a sitemap that is read; an explanation; a list of one host’s pages; a file that a page needs, in a crawl with a session',
    statements: ['explainUrl', 'foundAt', 'listPagesOfHost', 'pageByKey', 'requisiteLevel', 'sitemapLevel'],
  },
  {
    why: 'Seeds come in batches, of any hosts.',
    when: 'each batch of seeds',
    statements: ['askParkedHosts', 'claimSeeds', 'seededSites'],
  },
  {
    why: 'Operators list hosts and look for those that are held. A list goes on behind the last id.',
    when: 'a request of an operator',
    statements: [
      'heldHostsAfter',
      'holdParkedHosts',
      'listHosts',
      'hostsOfCrawl',
      'listParkedHosts',
      'loggedOutHosts',
      'countLoggedOut',
    ],
  },
  {
    why: 'A crawl is given another session, and goes on at all hosts that had logged it out. The hosts do not depend on one another and can be done one by one.',
    when: 'another session of a crawl',
    statements: ['letBackIn', 'lockHosts', 'tellOfHost'],
  },
  {
    why: 'A crawl asks how far it is over all its hosts, and which of them it waits for.',
    when: 'a status read; every few seconds in each running crawl',
    statements: [
      'claimAsks',
      'countCrawl',
      'crawlOutlook',
      'holdingHosts',
      'recentRate',
      'timesOfCrawl',
      'waitingHosts',
    ],
  },
  {
    why: 'Pages and sitemaps of a crawl are listed, over all its hosts.',
    when: 'a page of a list or an export',
    statements: [
      'listClusters',
      'listCrawlUrls',
      'listPages',
      'listShortened',
      'listSitemaps',
      'pagesHorizon',
      'placeOfLatest',
      'robotsRecords',
      'storedRecords',
    ],
  },
  {
    why: 'Bodies of a crawl are read again in the order of its pages feed, and what differs is stored, compared, kept and removed in batches, over all its hosts. The rows can be split by host.',
    when: 'each step of a re-extraction that somebody asks for; a comparison',
    statements: [...['comparePages', 'keepReextracted'], 'walkPages'],
  },
  {
    why: 'The report sums up a crawl.',
    when: 'a report that somebody asks for',
    statements: [
      'countForgotten',
      'reportCounts',
      'reportExtremes',
      'reportHosts',
      'reportRendering',
      'reportPages',
    ],
  },
  {
    why: 'The audit recounts all URLs of a crawl: that is its purpose.',
    when: 'an audit',
    statements: ['countViolations', 'recountHosts', 'recountLeftOut', 'recountQueues', 'recountUrls'],
  },
  {
    why: 'An edit judges the frontier of a crawl anew, host after host, in batches.',
    when: 'an edit of a crawl; a limit that is reached',
    statements: [
      'excludeAllButNeeded',
      'excludeQueued',
      'hostsAtLimit',
      'judgeUrls',
      'pagesToReread',
      'urlsToJudge',
    ],
  },
  {
    why: 'A crawl that is paused or ends closes its account of time at all hosts where it has work, in batches.',
    when: 'a pause, the end of a crawl',
    statements: ['closeTimes'],
  },
  {
    why: 'Copies of a page at different hosts are compared with one another.',
    when: 'the end of a crawl; batches of pages that were read; once a day in a crawl that keeps fresh',
    statements: ['choose-canonicals', 'judgeTexts', 'mark-text-duplicates', 'settleContents'],
  },
  {
    why: 'A removed crawl is taken away host after host: these find the next host, count what is left, take away the rest, and ask whether a body is still wanted by anybody.',
    when: 'the removal of a crawl',
    statements: [
      'forgetUnwanted',
      'markRemoved',
      'nextRemoved',
      'remove-rest-of-forgotten',
      'remove-rest-of-host_blocks',
      'remove-rest-of-lent_url',
      'remove-rest-of-page_history',
      'remove-rest-of-sitemap_hint',
      'remove-rest-of-sitemap_record',
      'remove-rest-of-sitemap_report',
      'remove-rest-of-trap_watch',
    ],
  },
  {
    why: 'Dead letters are listed and driven again for a whole crawl.',
    when: 'a request of an operator',
    statements: ['chooseClassLetters', 'chooseCrawlLetters', 'describeDeadLetters', 'redriveDeadLetters'],
  },
  {
    why: 'URLs that were gone for long are forgotten, whichever host they are at. The rows can be split by host.',
    when: 'every half minute in one process or another',
    statements: ['forgetDead'],
  },
  {
    why: 'A standing crawl notes visits in the order of its pages feed, samples its pages, and queues those that are due, over all its hosts. Notes and queues are in batches, and can be split by host.',
    when: 'each run of a standing crawl, every two minutes; its beginning',
    statements: [
      ...['beginStanding', 'countDates', 'countDue', 'noteHints', 'noteVisits', 'queueDue', 'samplePages'],
      'visitsAfter',
    ],
  },
  {
    why: 'The answers of a crawl that tells changes are compared in the order of its pages feed, over all its hosts, in batches that can be split by host. A look whether there are any reads one row of the feed.',
    when: 'every five seconds in each process that reads, for crawls that tell changes',
    statements: ['answersAfter', 'followedCrawls', 'storeVersions'],
  },
  {
    why: 'A change of what a standing crawl keeps fresh holds for its known pages, over all its hosts. The walk is in batches.',
    when: 'after an edit, in the next runs of a standing crawl',
    statements: ['datePages', 'knownPages'],
  },
  {
    why: 'A page with a known body asks the page that stands for the body whether it still has it, wherever that page is. Only in standing crawls.',
    when: 'judging a fetched body',
    statements: ['claimContents'],
  },
  {
    why: 'A foreign fetcher asks for hosts, whichever are free, and reports the pages of a batch together.',
    when: 'each batch of a foreign fetcher',
    statements: [
      'askToLend',
      'findParents',
      'handOutUrls',
      'lendHosts',
      'lentUrls',
      'loansOfTenant',
      'unstoredUrls',
    ],
  },
  {
    why: 'An opt-out covers a domain with all its hosts.',
    when: 'an opt-out, and the jobs that follow it',
    statements: ['countOptedOut', 'excludeHostsOptedOut', 'hostsOfDomain', 'reachOfOptOut'],
  },
  {
    why: 'What pages have shown is added to the watches of a few hosts together, and the verdicts on shapes of URLs are read and listed for a whole crawl. The rows can be split by host.',
    when: 'every 32 pages that are read of a host; a verdict; a request of an operator',
    statements: [
      ...['beginWatches', 'hostKeptBack', 'listQuarantine', 'lockWatches', 'storeWatches', 'verdictsAfter'],
    ],
  },
  {
    why: 'The quality of hosts is looked at in the order of their ids, and known by name.',
    when: 'every few seconds; for hosts that a process scores, once a minute; a request of an operator',
    statements: [
      'hasPoorHosts',
      'notePin',
      'poorHosts',
      'qualitiesOf',
      'sampleHosts',
      'settleQualities',
      'storeQualities',
    ],
  },
  {
    why: 'Metrics count hosts, queues and letters of a sample of 16 MB of each table, count ten queues anew, and read the end of an index.',
    when: 'a scrape of the metrics, every ten seconds at most',
    statements: [
      ...['measureDeadLetters', 'measureHosts', 'measureLags', 'measureQueues', 'measureShards'],
      'recountSample',
    ],
  },
  {
    why: 'Pages that nobody can read are counted over all hosts, so that they do not hold up those that can be read.',
    when: 'every fifteen seconds in each process that fetches, where the archive is in S3 and a machine with a folder of it is gone',
    statements: ['outOfReach'],
  },
  {
    why: 'A segment of the archive holds the records of whichever hosts a process fetched from. Revisits (records of answers whose body was known) are found by their segment.',
    when: 'the closing, the daily look and the rewriting of a segment',
    statements: [...['forgetRevisits', 'liveRevisits', 'measureSegment', 'moveRevisits', 'segmentToLookAt']],
  },
  {
    why: 'A backup has to know how far each segment is committed; a restore counts every host as asked just now. Both go over all there is, and can be done host by host.',
    when: 'each backup, and each restore',
    statements: ['committedSegments', 'countHostsAsAsked', 'countTurnsAsTaken', 'spendQuotas'],
  },
];

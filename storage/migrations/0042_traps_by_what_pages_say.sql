-- Traps are found by other evidence: which pages say nothing new, after a thousand of a shape were read. What older rules
-- had gathered tells nothing for it, and what they only suspected is judged anew. What they hold stays held until somebody
-- releases it, under the rule `earlier`.
truncate trap_watch;
update quarantine set verdict = 'cleared' where verdict = 'suspected';
update quarantine set rule = 'earlier' where rule not in ('soft-404', 'operator', '');

-- A crawl that is complete but for parts that a quarantine keeps back ends with the cause `kept-back`.

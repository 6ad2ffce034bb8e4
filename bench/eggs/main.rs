// Runs rules on terms in egg and prints what came of it, as JSON. Standard input:
//
//	rule NAME | LEFT | RIGHT    a rule, in egg's notation
//	node OPERATOR KID KID       a term: of earlier ones, counted from 0
//	leaf NAME
//	rounds N                    of search of all rules and application of all matches
//	explain                     with what explanations need
//	towers OPERATOR W H         instead: W towers of H operators on as many leaves, which
//	                            are united, and one rebuild
use egg::*;
use std::io::BufRead;
use std::time::{Duration, Instant};

define_language! {
    enum Tensor {
//LANGUAGE//
        Leaf(Symbol),
    }
}

// Resident memory in bytes.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|x| x.parse::<u64>().ok()).unwrap_or(0) * 4096
}

// Unites the leaves below towers, and prints what is left after a rebuild.
fn united(mut graph: EGraph<Tensor, ()>, what: &str) {
    let word: Vec<&str> = what.split(' ').collect();
    let (width, height): (usize, usize) = (word[1].parse().unwrap(), word[2].parse().unwrap());
    let leaves: Vec<Id> = (0..width).map(|i| graph.add(Tensor::from_op(&format!("x{i}"), vec![]).unwrap())).collect();
    for leaf in &leaves {
        let mut top = *leaf;
        for _ in 0..height {
            top = graph.add(Tensor::from_op(word[0], vec![top]).unwrap());
        }
    }
    graph.rebuild();
    let start = Instant::now();
    for leaf in &leaves[1..] {
        graph.union(leaves[0], *leaf);
    }
    graph.rebuild();
    println!(
        "{{\"nodes\":{},\"classes\":{},\"seconds\":{}}}",
        graph.total_number_of_nodes(),
        graph.number_of_classes(),
        start.elapsed().as_secs_f64()
    );
}

fn main() {
    let mut rules: Vec<Rewrite<Tensor, ()>> = vec![];
    let mut terms: Vec<Vec<String>> = vec![];
    let (mut rounds, mut explain, mut towers) = (0, false, None);
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match word {
            "rule" => {
                let part: Vec<&str> = rest.split(" | ").collect();
                let (left, right): (Pattern<Tensor>, Pattern<Tensor>) = (part[1].parse().unwrap(), part[2].parse().unwrap());
                rules.push(Rewrite::new(part[0], left, right).unwrap());
            }
            "node" | "leaf" => terms.push(rest.split(' ').map(String::from).collect()),
            "rounds" => rounds = rest.parse().unwrap(),
            "explain" => explain = true,
            "towers" => towers = Some(rest.to_string()),
            _ => panic!("unknown line {line}"),
        }
    }
    let mut graph: EGraph<Tensor, ()> = EGraph::default();
    if explain {
        graph = graph.with_explanations_enabled();
    }
    if let Some(t) = towers {
        return united(graph, &t);
    }
    let mut ids: Vec<Id> = vec![];
    for t in &terms {
        let kids: Vec<Id> = t[1..].iter().map(|k| ids[k.parse::<usize>().unwrap()]).collect();
        ids.push(graph.add(Tensor::from_op(&t[0], kids).unwrap()));
    }
    graph.rebuild();
    let before = resident();
    let start = Instant::now();
    let runner = Runner::default()
        .with_egraph(graph)
        .with_scheduler(SimpleScheduler)
        .with_iter_limit(rounds)
        .with_node_limit(usize::MAX)
        .with_time_limit(Duration::from_secs(3600))
        .run(&rules);
    let seconds = start.elapsed().as_secs_f64();
    let bytes = resident().saturating_sub(before);
    let saturated = matches!(runner.stop_reason, Some(StopReason::Saturated));
    let applied: usize = runner.iterations.iter().map(|i| i.applied.values().sum::<usize>()).sum();
    let rebuilding: f64 = runner.iterations.iter().map(|i| i.rebuild_time).sum();
    let start = Instant::now();
    let mut matches = 0;
    for r in &rules {
        matches += r.search(&runner.egraph).iter().map(|m| m.substs.len()).sum::<usize>();
    }
    println!(
        "{{\"nodes\":{},\"classes\":{},\"seconds\":{},\"bytes\":{},\"saturated\":{},\"applied\":{},\"rebuilding\":{},\"matches\":{},\"searching\":{}}}",
        runner.egraph.total_number_of_nodes(), runner.egraph.number_of_classes(), seconds, bytes, saturated, applied, rebuilding,
        matches, start.elapsed().as_secs_f64()
    );
}
